import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RunFacts } from '../domain/run-facts.js'
import { packRun, unpackRun } from './packed-run.js'

const time = fc.integer({ min: 0, max: 4_000_000_000_000 })
const labels = fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true })
const seen = {
  sequence: fc.nat(),
  status: fc.constantFrom('queued' as const, 'running' as const, 'failed' as const),
  reason: fc.string(),
  generation: fc.nat(),
  at: time,
}
const error = fc.record({ code: fc.string(), message: fc.string(), class: fc.string(), retryable: fc.boolean() })
const times = { createdAt: fc.option(time), startedAt: fc.option(time), finishedAt: fc.option(time) }
const facts: fc.Arbitrary<RunFacts> = fc.record({
  id: fc.uuid(),
  projectId: fc.uuid(),
  workflow: fc.string(),
  version: fc.nat(),
  request: fc.option(
    fc.record({
      sequence: fc.constant(0 as const),
      createdAt: time,
      priority: fc.nat(),
      labels,
      requestedBy: fc.string(),
    }),
  ),
  observations: fc.array(fc.record(seen)),
  completions: fc.array(fc.record({ ...seen, error: fc.option(error), labels, ...times })),
  trace: fc.option(fc.record({ sequence: fc.nat(), traceId: fc.string() })),
})

const stored = (run: RunFacts, content: unknown) => {
  const text = JSON.stringify(content)
  return { id: run.id, rev: 1, project_id: run.projectId, facts: JSON.parse(text) as unknown }
}

test('a packed run is the same run', () => {
  fc.assert(fc.property(facts, (run) => void expect(unpackRun(stored(run, packRun(run)))).toEqual(run)))
})

test('a run that was stored before runs were packed still reads', () => {
  fc.assert(fc.property(facts, (run) => void expect(unpackRun(stored(run, run))).toEqual(run)))
})
