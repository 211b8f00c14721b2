import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from '../target.js'
import { defineAll, generate } from './generate.js'
import { awaitQuiet, followRuns, type Outcome } from './results.js'
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
  const times = await followRuns(target)
  const sampler = sampling(target, Math.min(5000, Math.max(500, (seconds * 1000) / 200)), times)
  const sent = await generate(target, scenario, load.capacity ?? 0, seconds)
  const stuck = await awaitQuiet(target, load.quietMs ?? 60_000)
  await sleep(200)
  await sampler.stop()
  await times.read(true)
  const { runs, failed } = times
  return { name, seconds, sent, stuck, runs, failed, samples: sampler.samples }
}

const IN_FLIGHT = 50

/** Runs of three tasks a second, asked for one by one as a soak asks for them, so many at a time. */
export async function measureCapacity(target: Target): Promise<number> {
  const count = 3000
  await defineAll(target)
  const begin = performance.now()
  await target.api.startMany('load-three', count, IN_FLIGHT)
  await awaitQuiet(target, 120_000)
  return count / ((performance.now() - begin) / 1000)
}
