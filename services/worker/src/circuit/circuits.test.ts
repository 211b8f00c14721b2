import { metricsRegistry } from '@millrace/telemetry'
import { beforeEach, expect, it } from 'vitest'
import { ExecutionFailure } from '../execution/execution-failure.js'
import type { ExecutionContext } from '../executors/executor.js'
import { circuitLimits } from './circuit.js'
import { Circuits } from './circuits.js'

const { openMs } = circuitLimits
const peer = { host: 'peer', port: 80 }
const ctx = { lease: { uses: 'http', projectId: 'p' }, signal: new AbortController().signal } as ExecutionContext
const failure = new ExecutionFailure('away', { class: 'network', code: 'network_error' })

let now = 0
let circuits: Circuits
beforeEach(() => {
  now = 0
  circuits = new Circuits(() => now)
  metricsRegistry.resetMetrics()
})

/** Under way until it is ended from outside. */
function begin(): (error?: Error) => Promise<void> {
  let end: (error?: Error) => void = () => undefined
  const work = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve())
  })
  const call = circuits.call(ctx, peer, () => work).catch(() => undefined)
  return async (error) => {
    end(error)
    await call
  }
}

async function measured(): Promise<Record<string, number>> {
  const text = await metricsRegistry.metrics()
  const events = [...text.matchAll(/^millrace_worker_circuit_events_total\{.*event="(\w+)".*\} (\d+)$/gm)]
  const open = /^millrace_worker_circuits_open\{.*\} (-?\d+)$/m.exec(text)?.[1]
  return Object.fromEntries([['open', Number(open)], ...events.map(([, event, n]) => [event, Number(n)])])
}

it('counts a circuit once, however many calls are under way when it opens', async () => {
  const calls = Array.from({ length: 24 }, () => begin())
  for (const end of calls) await end(failure)
  expect(await measured()).toEqual({ open: 1, opened: 1 })
  now += openMs
  await begin()()
  expect(await measured()).toEqual({ open: 0, opened: 1, closed: 1 })
})

it('counts a probe that failed as reopened, and not a call from before', async () => {
  const late = begin()
  for (const end of Array.from({ length: 10 }, () => begin())) await end(failure)
  now += openMs
  await late(failure)
  expect(await measured()).toEqual({ open: 1, opened: 1 })
  await begin()(failure)
  expect(await measured()).toEqual({ open: 1, opened: 1, reopened: 1 })
})
