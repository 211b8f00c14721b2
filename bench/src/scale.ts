import { awaitRuns, lastEnd } from './measure.js'
import { round } from './stats.js'
import type { Target } from './target.js'

type Figures = Record<string, number>

/** So many one-task runs waiting at once: what one costs must not depend on how many wait with it. */
async function drain(target: Target, name: string, count: number): Promise<number> {
  await target.api.define(name, { only: { uses: 'noop' } })
  const begin = Date.now()
  await target.api.startBatch(name, count)
  await awaitRuns(target.database, name, count, 600_000)
  return ((await lastEnd(target.database, name)) - begin) / count
}

export async function queued(target: Target, turn: number): Promise<Figures> {
  const small = await drain(target, `queued-small-${turn}`, 1_000)
  const large = await drain(target, `queued-large-${turn}`, turn === 0 ? 1_000 : 100_000)
  return {
    'ms a run, 1,000 queued': round(small, 2),
    'ms a run, 100,000 queued': round(large, 2),
    'cost of one among 100,000 over one among 1,000': round(large / small, 2),
  }
}

const FINISHED = 1_000_000

/** A million finished tasks, made as the engine leaves them: no queue rows, no timers, no leases. */
async function age(target: Target): Promise<void> {
  const { database } = target
  await database.query(`
    with made as (
      insert into scheduler.runs (id, project_id, workflow, version, version_id, status, rev, created_at, started_at, finished_at)
      select gen_random_uuid(), p.project_id, 'old', 1, gen_random_uuid(), 'succeeded', 3, at, at, at
      from (select project_id from scheduler.runs limit 1) p,
        lateral (select now() - make_interval(secs => i) as at from generate_series(1, ${FINISHED}) i) times
      returning id, project_id, created_at
    ), tasks as (
      insert into scheduler.tasks (id, run_id, project_id, ordinal, key, name, uses, queue, priority, status, rev, attempt,
        max_attempts, token, lease_id, worker_id, queued_at, started_at, finished_at)
      select gen_random_uuid(), id, project_id, 0, 'only', 'only', 'noop', 'default', 5, 'succeeded', 3, 1, 3, 1,
        gen_random_uuid(), 'worker', created_at, created_at, created_at
      from made
      returning id
    )
    insert into scheduler.task_payloads (task_id, output) select id, '{"of": "a finished task"}' from tasks`)
  await database.query('vacuum analyze scheduler.runs, scheduler.tasks, scheduler.task_payloads')
  await database.query('checkpoint')
}

let aged = false

/** The same work on a young database and on one with a million finished tasks. */
export async function history(target: Target, turn: number): Promise<Figures> {
  if (!aged && turn === 0) {
    for (let i = 1; i <= 2; i += 1) await drain(target, `young-warm-${i}`, 2_000)
    const young = []
    for (let i = 1; i <= 3; i += 1) young.push(await drain(target, `young-${i}`, 5_000))
    youngMs = young.sort((a, b) => a - b)[1] ?? Number.NaN
    await age(target)
    aged = true
  }
  const old = await drain(target, `aged-${turn}`, 5_000)
  return {
    'ms a run, young database': round(youngMs, 2),
    'ms a run, 1,000,000 finished tasks': round(old, 2),
    'cost with history over cost without': round(old / youngMs, 2),
  }
}

let youngMs = Number.NaN
