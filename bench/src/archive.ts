import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { request } from 'undici'
import { residentMb } from './cpu.js'
import { resetStatements } from './statements.js'
import { median, quantile, round } from './stats.js'
import { awaitRetention, tableSizes } from './table-sizes.js'
import { newFolder, startTarget, type Target } from './target.js'

// How the platform answers with years of history in PostgreSQL: `node bench/dist/archive.js`. It seeds the tables as the
// services leave them, starts anew with retention on, and measures through the gateway while retention deletes the oldest
// part. ARCHIVE_JOBS, ARCHIVE_LINES and ARCHIVE_TASKS make it smaller or larger, ARCHIVE_RETENTION_MINUTES is how long it
// waits for retention to be done. With ARCHIVE_DATA, a folder, what was seeded is kept there, and every measurement takes a
// copy of it.
const jobs = Number(process.env.ARCHIVE_JOBS ?? 1_000_000)
const lines = Number(process.env.ARCHIVE_LINES ?? 5_000_000)
/** Further tasks of the scheduler alone, which has its own history. */
const tasks = Number(process.env.ARCHIVE_TASKS ?? 10_000_000)
const searches = Number(process.env.ARCHIVE_SEARCHES ?? 300)
const retentionMinutes = Number(process.env.ARCHIVE_RETENTION_MINUTES ?? 30)
const followers = 200
const tasksOfRun = 10
/** Of the runs, so many of a hundred are past their time; what is seeded goes back this many days. */
const pastPercent = 10
const days = 100

const keptDays = days - Math.round((days * pastPercent) / 100)
const retention = {
  MILLRACE_RETENTION: `${keptDays}d`,
  MILLRACE_RETENTION_INTERVAL: '1s',
}
process.env.MILLRACE_LOG_LEVEL ??= 'warn'

type Figures = Record<string, number | string>

const stepOf = (count: number) => `${(days * 86_400) / count} * interval '1 second'`

/** Runs and tasks as the engine leaves them: no queue rows, no timers, no leases. */
async function seedScheduler(db: pg.Client, project: string, runs: number): Promise<void> {
  await db.query(`
    insert into scheduler.runs (id, project_id, workflow, version, version_id, status, rev, created_at, started_at, finished_at)
    select uuidv7(at - now()), '${project}', 'archive-' || i % 50, 1, gen_random_uuid(), 'succeeded', 3, at, at, at
    from generate_series(1, ${runs}) i, lateral (select now() - i * ${stepOf(runs)} as at) t`)
  await db.query(`
    insert into scheduler.tasks (id, run_id, project_id, ordinal, key, name, uses, queue, priority, status, rev, attempt,
      max_attempts, token, lease_id, worker_id, queued_at, started_at, finished_at)
    select uuidv7(r.created_at - now()), r.id, r.project_id, n, 'task-' || n, 'task-' || n, 'noop', 'default', 5, 'succeeded', 3, 1, 3,
      1, gen_random_uuid(), 'worker', r.created_at, r.created_at, r.created_at
    from scheduler.runs r, generate_series(0, ${tasksOfRun - 1}) n where r.workflow like 'archive-%'`)
}

/** The record of some of them, from the whole of the time: jobs with labels, errors and texts to find, and lines of log. */
async function seedRecord(db: pg.Client, project: string): Promise<void> {
  const step = Math.max(1, Math.floor(Math.max(jobs, tasks) / jobs))
  await db.query(`
    insert into metadata.jobs (id, rev, project_id, run_id, sequence, status, workflow, task, worker_ids, created_at,
      queue_wait_ms, duration_ms, search, retries, error_code, labels, facts)
    select t.id, 1, t.project_id, t.run_id, i, s.status, r.workflow, t.key, '{worker}', r.created_at, i % 100, i % 5000,
      lower(r.workflow || ' ' || t.key || ' order-' || i % 100000 || case when s.error is null then '' else ' the gateway of shop ' || i % 1000 || ' timed out' end),
      0, s.error, array['customer=' || i % 20000, 'region=eu-' || i % 4],
      jsonb_build_object('identity', jsonb_build_array(1, r.workflow, 1, t.key, null, 'noop', 'default', 3),
        'seen', jsonb_build_array(jsonb_build_array(1, s.status, 1, (extract(epoch from r.created_at) * 1000)::bigint, 'worker', null)),
        'labels', jsonb_build_object('customer', (i % 20000)::text, 'region', 'eu-' || i % 4))
    from (select row_number() over () as i, t.* from scheduler.tasks t join (
        select id, row_number() over (order by created_at) as n from scheduler.runs where workflow like 'archive-%') r on r.id = t.run_id
      where r.n % ${step} = 0 limit ${jobs}) t
      join scheduler.runs r on r.id = t.run_id,
      lateral (select case when i % 49 = 0 then 'failed' else 'succeeded' end as status,
        case when i % 49 = 0 then 'http_50' || i % 5 end as error) s`)
  const each = Math.max(1, Math.round(lines / jobs))
  await db.query(`
    insert into metadata.logs (project_id, run_id, task_id, attempt, seq, at, level, stream, task, message)
    select '${project}', j.run_id, j.id, 1, n, j.created_at, 1 + n % 3, 'stdout', j.task, 'line ' || n || ' of what a task prints: item ' || j.sequence
    from metadata.jobs j, generate_series(1, ${each}) n`)
}

interface Searched {
  /** The first of each form, which finds little of what it reads in memory, and has not been planned before. */
  cold: number[]
  warm: number[]
  /** Of each form, the first and the p95 of the others; the slowest of the latter first. */
  byForm: string[]
}

/** Into the middle of the history. */
async function deepCursor(target: Target): Promise<string> {
  const middle = new Date(Date.now() - (days / 2) * 86_400_000).toISOString()
  const page = (await target.api.call('GET', `/api/v1/jobs?limit=1&to=${middle}`)) as { nextCursor: string }
  return encodeURIComponent(page.nextCursor)
}

async function search(target: Target): Promise<Searched> {
  const deep = await deepCursor(target)
  const kinds = [
    (n: number) => `q=order-${n * 131}`,
    (n: number) => `q=shop%20${n % 1000}%20timed`,
    (n: number) => `label=customer%3D${n % 20000}`,
    () => 'label=region%3Deu-1&status=failed',
    (n: number) => `errorCode=http_50${n % 5}`,
    (n: number) => `workflow=archive-${n % 50}&status=failed,cancelled`,
    (n: number) => `task=task-${n % 10}&status=failed`,
    () => 'q=no-such-text-anywhere',
    () => 'label=region%3Deu-9&status=failed',
    (n: number) => `workflow=archive-${n % 50}&task=task-${n % 10}`,
    () => 'workflow=never-ran',
    () => 'task=never-ran&status=failed',
    (n: number) => `q=shop%20${n % 1000}%20timed&workflow=archive-${n % 50}&status=failed`,
    () => `q=order-13&limit=200&cursor=${deep}`,
    () => `cursor=${deep}`,
    () => `status=failed&cursor=${deep}`,
  ]
  const byKind = kinds.map((): number[] => [])
  for (let n = 0; n < searches; n += 1) {
    const kind = n % kinds.length
    const began = performance.now()
    await target.api.call('GET', `/api/v1/jobs?${kinds[kind]?.(n)}`)
    byKind[kind]?.push(performance.now() - began)
  }
  const forms = byKind.flatMap(([cold, ...warm], kind) => {
    return cold === undefined ? [] : [{ form: kinds[kind]?.(1).replace(deep, '…'), cold, warm }]
  })
  const warmP95 = ({ warm }: { warm: number[] }) => quantile(warm, 0.95)
  const slowestFirst = forms.toSorted((a, b) => warmP95(b) - warmP95(a))
  return {
    cold: forms.map(({ cold }) => cold),
    warm: forms.flatMap(({ warm }) => warm),
    byForm: slowestFirst.map((each) => `${each.form} (${round(each.cold, 1)}, ${round(warmP95(each), 1)} ms)`),
  }
}

/**
 * How far behind its writer a follower reads what is written while it follows; worker and follower share a clock. What
 * arrives is noted with its time and read when all is over: otherwise 200 followers in one process wait for its parser.
 */
async function follow(target: Target, run: string): Promise<Followed> {
  const { url, token } = target.api.origin
  const { body } = await request(`${url}/api/v1/runs/${run}/logs?follow=true`, {
    headers: { authorization: `Bearer ${token}` },
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const opened = Date.now()
  const arrived: Arrived[] = []
  body.on('data', (chunk: Buffer) => arrived.push({ chunk, at: Date.now() }))
  await once(body, 'end')
  return { opened, arrived }
}

function delaysOf({ opened, arrived }: Followed): number[] {
  const delays: number[] = []
  let rest = ''
  for (const { chunk, at } of arrived) {
    const parts = (rest + chunk.toString('latin1')).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) {
      const written = line === '' ? 0 : Date.parse(JSON.parse(line).at)
      if (written > opened) delays.push(at - written)
    }
  }
  return delays
}

interface Arrived {
  chunk: Buffer
  at: number
}

interface Followed {
  opened: number
  arrived: Arrived[]
}

async function tail(target: Target, readers: number): Promise<number[]> {
  const items = Array.from({ length: 200 }, (_, i) => i)
  const task = { uses: 'sleep', with: { duration: '1s' } }
  await target.api.define(`tailed-${readers}`, { many: { uses: 'map', with: { items, maxParallel: 20, task } } })
  const run = await target.api.start(`tailed-${readers}`)
  const followed = await Promise.all(Array.from({ length: readers }, () => follow(target, run)))
  return followed.flatMap(delaysOf)
}

/** From the call that starts a run to its end, as the engine recorded it. */
async function latency(target: Target, name: string): Promise<number[]> {
  await target.api.define(name, { only: { uses: 'noop' } })
  const took: number[] = []
  for (let i = 0; i < 50; i += 1) {
    const run = await target.api.start(name)
    for (;;) {
      const seen = (await target.api.call('GET', `/api/v1/runs/${run}`)) as {
        createdAt: string
        finishedAt: string | null
      }
      if (seen.finishedAt === null) continue
      took.push(Date.parse(seen.finishedAt) - Date.parse(seen.createdAt))
      break
    }
  }
  return took
}

const both = (ms: number[]): string => `${round(median(ms), 0)}, ${round(quantile(ms, 0.95), 0)}`

const number = async (db: pg.Client, sql: string): Promise<number> => Number((await db.query(sql)).rows[0]?.n ?? 0)

/** Answers how long a run took on the empty database, and how long the seeding. */
async function seed(target: Target): Promise<Figures> {
  const { database: db } = target
  const project = (await db.query(`select id from iam.projects limit 1`)).rows[0]?.id as string
  const before = await latency(target, 'before')
  const began = Date.now()
  await db.query('set synchronous_commit = off')
  await seedScheduler(db, project, Math.ceil(Math.max(jobs, tasks) / tasksOfRun))
  await seedRecord(db, project)
  // What is counted later than vacuum counts would be counted twice.
  await db.query('select pg_stat_force_next_flush()')
  await db.query('vacuum analyze')
  await db.query('checkpoint')
  return {
    jobs,
    lines,
    'tasks of the scheduler': Math.max(jobs, tasks),
    'trigger to end on an empty database, p95 ms': round(quantile(before, 0.95), 1),
    'minutes of seeding': round((Date.now() - began) / 60_000, 1),
  }
}

async function seeded(folder: string): Promise<Figures> {
  const note = join(folder, 'seeded.json')
  if (existsSync(note)) return JSON.parse(readFileSync(note, 'utf8'))
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o711)
  const target = await startTarget({ countStatements: true, folder, env: { MILLRACE_RETENTION: '0s' } })
  try {
    const figures = await seed(target)
    writeFileSync(note, JSON.stringify(figures))
    return figures
  } finally {
    await target.stop()
  }
}

async function measure(target: Target, figures: Figures): Promise<void> {
  const { database: db } = target
  const size = `select pg_database_size(current_database()) / 1048576 as n`
  figures['database, MB'] = await number(db, size)
  figures['tables, each with its indexes, before'] = await tableSizes(db)
  const held = Number(figures['tasks of the scheduler'])
  const kept = `select count(*) as n from scheduler.runs where workflow like 'archive-%'`
  await resetStatements(db)
  const services = target.roots.slice(0, 1)
  const memory = Math.round(residentMb(services))
  const found = await search(target)
  const all = [...found.cold, ...found.warm]
  figures['search, all: p50 and p95, ms'] = both(all)
  figures['search, all but the first of each form: p50 and p95, ms'] = both(found.warm)
  figures['search, the first of each form: p50 and the longest, ms'] =
    `${round(median(found.cold), 0)}, ${round(Math.max(...found.cold), 0)}`
  figures['each form: the first, and p95 of the others'] = found.byForm.join(', ')
  const one = await tail(target, 1)
  figures['tail by one reader, p50 and p95 ms behind'] = both(one)
  const many = await tail(target, followers)
  figures[`tail by ${followers} readers, p50 and p95 ms behind`] = both(many)
  figures[`lines that ${followers} readers got`] = many.length
  figures['trigger to end with all of it and retention, p95 ms'] = round(
    quantile(await latency(target, 'after'), 0.95),
    1,
  )
  figures['memory of all services, MB before and after'] = `${memory}, ${Math.round(residentMb(services))}`
  const gone = Math.ceil(held / tasksOfRun) - (await number(db, kept))
  figures['runs that retention has deleted'] = gone
  figures['of those past their time, per cent'] = round((gone * 10_000) / pastPercent / (held / tasksOfRun), 0)
  const statements = await db.query(
    `select round(max(max_exec_time)::numeric, 0) as n from pg_stat_statements where query ~* '^\\s*(with|delete)[^;]*delete from'`,
  )
  figures['longest deleting statement, ms'] = Number(statements.rows[0]?.n ?? 0)
  figures['retention, from the end of these measurements on'] = await awaitRetention(
    db,
    keptDays,
    retentionMinutes * 60_000,
  )
  figures['database after, MB'] = await number(db, size)
  figures['tables, each with its indexes, after'] = await tableSizes(db)
}

const work = newFolder()
try {
  const kept = process.env.ARCHIVE_DATA
  const figures = await seeded(kept ?? work)
  if (kept !== undefined) execFileSync('cp', ['-a', '--reflink=auto', `${kept}/.`, work])
  const target = await startTarget({ countStatements: true, folder: work, env: retention })
  try {
    await measure(target, figures)
  } finally {
    console.log(['| figure | |', '|---|---|', ...Object.entries(figures).map(([k, v]) => `| ${k} | ${v} |`)].join('\n'))
    await target.stop()
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
