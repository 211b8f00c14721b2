import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from '../target.js'
import { definitions, type Scenario, type WorkflowName } from './scenarios.js'

export interface Sent {
  /** Runs that the scenario wanted. */
  asked: number
  started: number
  /** Of those, the ones that were answered before the time of the scenario was over. */
  startedInTime: number
  errors: number
  /** Answers of the gateway to single starts, ms. */
  answersMs: number[]
  /** Starts that were still unanswered when the time was over: more than a few, and the rate was above what it takes. */
  unanswered: number
}

/** From here on runs are asked for in batches: single calls would measure the generator. */
const BATCH_FROM = 100
const SLICE_MS = 100

/** Asks for what the scenario wants, tenth of a second by tenth, and ends when its time is over and all was answered. */
export async function generate(target: Target, scenario: Scenario, capacity: number, seconds: number): Promise<Sent> {
  const sent: Sent = { asked: 0, started: 0, startedInTime: 0, errors: 0, answersMs: [], unanswered: 0 }
  const owed: Partial<Record<WorkflowName, number>> = {}
  const open = new Set<Promise<void>>()
  const begin = performance.now()
  const ask = (count: number, work: Promise<void>) => {
    sent.asked += count
    const guarded = work
      .then(() => {
        sent.started += count
        if (performance.now() - begin <= seconds * 1000) sent.startedInTime += count
      })
      .catch(() => {
        sent.errors += 1
      })
      .finally(() => open.delete(guarded))
    open.add(guarded)
  }
  for (let slice = 0; slice * SLICE_MS < seconds * 1000; slice += 1) {
    const rates = scenario.rates(Math.floor((slice * SLICE_MS) / 1000), capacity)
    for (const [name, rate] of Object.entries(rates) as [WorkflowName, number][]) {
      owed[name] = (owed[name] ?? 0) + (rate * SLICE_MS) / 1000
      const count = Math.floor(owed[name])
      owed[name] -= count
      if (count >= BATCH_FROM) ask(count, startBatch(target, name, count))
      else for (let i = 0; i < count; i += 1) ask(1, startOne(target, name, sent))
    }
    await sleep(Math.max(0, begin + (slice + 1) * SLICE_MS - performance.now()))
  }
  sent.unanswered = open.size
  await Promise.all(open)
  return sent
}

async function startOne({ api }: Target, name: WorkflowName, sent: Sent): Promise<void> {
  const begin = performance.now()
  await api.start(`load-${name}`)
  sent.answersMs.push(performance.now() - begin)
}

async function startBatch({ api }: Target, name: WorkflowName, count: number): Promise<void> {
  await api.startBatch(`load-${name}`, count)
}

export async function defineAll({ api }: Target): Promise<void> {
  for (const [name, tasks] of Object.entries(definitions)) await api.define(`load-${name}`, tasks)
}
