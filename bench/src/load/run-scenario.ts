import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from '../target.js'
import { defineAll, generate } from './generate.js'
import { awaitQuiet, type Outcome, runTimes } from './results.js'
import { sampling } from './sample.js'
import { scenarios } from './scenarios.js'

export interface Load {
  seconds?: number
  /** Runs of three tasks a second that a soak takes half of. */
  capacity?: number
  quietMs?: number
}

export async function runScenario(target: Target, name: string, load: Load = {}): Promise<Outcome> {
  const scenario = scenarios[name]
  if (!scenario) throw new Error(`no scenario ${name}; there are ${Object.keys(scenarios).join(', ')}, schedules`)
  await defineAll(target)
  const seconds = load.seconds ?? scenario.seconds
  const { rows } = await target.database.query<{ now: Date }>('select clock_timestamp() as now')
  const since = rows[0]?.now ?? new Date()
  const sampler = sampling(target, Math.min(5000, Math.max(500, (seconds * 1000) / 200)))
  const sent = await generate(target, scenario, load.capacity ?? 0, seconds)
  const stuck = await awaitQuiet(target, load.quietMs ?? 60_000)
  await sleep(200)
  await sampler.stop()
  return { name, seconds, sent, stuck, ...(await runTimes(target, since)), samples: sampler.samples }
}

/** Runs of three tasks a second, of a batch that keeps everything busy. */
export async function measureCapacity(target: Target): Promise<number> {
  const count = 3000
  await defineAll(target)
  const begin = performance.now()
  await target.api.startBatch('load-three', count)
  await awaitQuiet(target, 120_000)
  return count / ((performance.now() - begin) / 1000)
}
