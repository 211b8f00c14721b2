import { counters, idle } from './counters.js'
import { cpuSeconds, totalSeconds } from './cpu.js'
import { awaitCaughtUp, awaitRun, awaitRuns, lastEnd, runTimes, settledDurability } from './measure.js'
import { history, queued } from './scale.js'
import { median, quantile, round } from './stats.js'
import type { Target } from './target.js'

export type Figures = Record<string, number>
export type Workload = (target: Target, round: number) => Promise<Figures>

const chain = (length: number): Record<string, object> =>
  Object.fromEntries(
    Array.from({ length }, (_, i) => [`t${i}`, { uses: 'noop', ...(i > 0 ? { needs: [`t${i - 1}`] } : {}) }]),
  )

function fan(width: number): Record<string, object> {
  const middle = Array.from({ length: width }, (_, i) => `m${i}`)
  return {
    first: { uses: 'noop' },
    ...Object.fromEntries(middle.map((key) => [key, { uses: 'noop', needs: ['first'] }])),
    join: { uses: 'noop', needs: middle },
  }
}

/** 40 no-op tasks one after another. */
async function sequence(target: Target, turn: number): Promise<Figures> {
  const name = `sequence-${turn}`
  await target.api.define(name, chain(40))
  const runId = await target.api.start(name)
  await awaitRun(target.database, runId)
  const { totalMs, gapsMs } = await runTimes(target.database, runId)
  return {
    'sequence of 40, ms': round(totalMs),
    'task to next, p50 ms': round(median(gapsMs), 2),
    'task to next, p99 ms': round(quantile(gapsMs, 0.99), 2),
  }
}

/** What a task costs in flushes of the write-ahead log: ten chains of 40, one after another. */
async function flushes(target: Target, turn: number): Promise<Figures> {
  const name = `flushes-${turn}`
  const chains = 10
  await target.api.define(name, chain(40))
  const before = await settledDurability(target.database)
  for (let i = 1; i <= chains; i += 1) {
    await awaitRun(target.database, await target.api.start(name))
  }
  const after = await settledDurability(target.database)
  const tasks = chains * 40
  return {
    'flushes per task in sequence, scheduler': round((after.coreFsyncs - before.coreFsyncs) / tasks, 3),
    'flushes per task in sequence, everybody': round((after.allFsyncs - before.allFsyncs) / tasks, 3),
  }
}

/** One task, one run at a time: from the request to the lease. */
async function trigger(target: Target, turn: number): Promise<Figures> {
  const name = `trigger-${turn}`
  await target.api.define(name, chain(1))
  const times: number[] = []
  for (let i = 1; i <= 100; i += 1) {
    const runId = await target.api.start(name)
    await awaitRun(target.database, runId)
    times.push((await runTimes(target.database, runId)).triggerMs)
  }
  return {
    'trigger to start, p50 ms': round(median(times), 2),
    'trigger to start, p99 ms': round(quantile(times, 0.99), 2),
  }
}

async function fanOut(target: Target, turn: number): Promise<Figures> {
  const name = `fan-${turn}`
  await target.api.define(name, fan(1000))
  const runId = await target.api.start(name)
  await awaitRun(target.database, runId)
  return { '1 → 1,000 → join, ms': round((await runTimes(target.database, runId)).totalMs) }
}

/** Runs per second through the gateway: in batches of a thousand, or with one call each and 50 in flight. */
const perSecond =
  (tasks: number, count: number, how: 'batch' | 'one call each'): Workload =>
  async (target, turn) => {
    const label = `${tasks === 1 ? 'one' : 'three'}-task runs/s, ${how}`
    const name = `runs-${tasks}-${how === 'batch' ? 'b' : 'c'}-${turn}`
    await target.api.define(name, chain(tasks))
    const before = totalSeconds(cpuSeconds(target.roots))
    const begin = Date.now()
    if (how === 'batch') await target.api.startBatch(name, count)
    else await target.api.startMany(name, count, 50)
    await awaitRuns(target.database, name, count)
    const seconds = ((await lastEnd(target.database, name)) - begin) / 1000
    await awaitCaughtUp(target.database)
    const used = totalSeconds(cpuSeconds(target.roots)) - before
    return {
      [label]: round(count / seconds),
      [`CPU of ${label.replace('s/s', '')}, µs`]: round((used * 1e6) / count, 0),
    }
  }

/** What is counted by `pg_stat_statements`, which has a price: on a deployment of its own, where no time is measured. */
export const countedWorkloads: Record<string, Workload> = { idle, counters }

/** Long ones, run when asked for by name. */
export const longWorkloads: Record<string, Workload> = { queued, history }

export const workloads: Record<string, Workload> = {
  sequence,
  flushes,
  trigger,
  'fan-out': fanOut,
  'one-task': perSecond(1, 5000, 'batch'),
  'three-task': perSecond(3, 2000, 'batch'),
  'three-task-calls': perSecond(3, 2000, 'one call each'),
}
