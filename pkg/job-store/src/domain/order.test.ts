import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epoch, failure } from '../contract/samples.js'
import type { JobChange, JobIdentity, RunChange } from './changes.js'
import { foldJob } from './job-document.js'
import { type JobFacts, jobFactsCover, jobFactsOf, mergeJobFacts } from './job-facts.js'
import { foldRun } from './run-document.js'
import { mergeRunFacts, type RunFacts, runFactsCover, runFactsOf } from './run-facts.js'
import { jobStatuses, runStatuses } from './statuses.js'

const identity: JobIdentity = {
  projectId: 'p',
  runId: 'r',
  workflow: 'w',
  version: 1,
  task: 't',
  index: null,
  uses: 'noop',
  queue: 'default',
  maxAttempts: 3,
}

/** Not only histories that the engine can produce: any set of numbered statements. */
const jobHistory: fc.Arbitrary<JobChange[]> = fc
  .tuple(
    fc.array(
      fc.record({
        status: fc.constantFrom(...jobStatuses),
        attempt: fc.integer({ min: 0, max: 4 }),
        gap: fc.integer({ min: -50, max: 500 }),
        worker: fc.constantFrom(null, 'w1', 'w2'),
        fails: fc.boolean(),
        traced: fc.boolean(),
      }),
      { minLength: 1, maxLength: 12 },
    ),
    fc.uniqueArray(fc.record({ lease: fc.integer({ min: 0, max: 9 }), attempt: fc.integer({ min: 0, max: 4 }) }), {
      selector: (claim) => claim.lease,
      maxLength: 4,
    }),
    fc.boolean(),
  )
  .map(([steps, claims, dead]) => {
    let at = epoch
    const observed = steps.map((step, sequence): JobChange => {
      at += step.gap
      return {
        kind: 'observed',
        jobId: 'j',
        sequence,
        at: new Date(at),
        identity,
        status: step.status,
        attempt: step.attempt,
        workerId: step.worker,
        error: step.fails ? failure(`at ${sequence}`) : null,
        traceId: step.traced ? `trace-${sequence}` : null,
      }
    })
    const claimed = claims.map(
      ({ lease, attempt }): JobChange => ({
        kind: 'claimed',
        jobId: 'j',
        projectId: 'p',
        runId: 'r',
        leaseId: `lease-${lease}`,
        attempt,
        at: new Date(epoch + lease),
        executionMs: lease,
        outputBytes: lease,
        error: null,
      }),
    )
    const letters: JobChange[] = dead
      ? [{ kind: 'dead-lettered', jobId: 'j', projectId: 'p', runId: 'r', at: new Date(at) }]
      : []
    return [...observed, ...claimed, ...letters]
  })

const runHistory: fc.Arbitrary<RunChange[]> = fc
  .array(fc.record({ status: fc.constantFrom(...runStatuses), completes: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((steps) => {
    const base = { runId: 'r', projectId: 'p', workflow: 'w', version: 1, traceId: null, reason: '' }
    const changes: RunChange[] = [
      { kind: 'requested', ...base, createdAt: new Date(epoch), priority: 5, labels: {}, requestedBy: 'u' },
    ]
    let generation = 0
    for (const [sequence, step] of steps.entries()) {
      const seen = { ...base, sequence, at: new Date(epoch + sequence), status: step.status, generation }
      changes.push({ kind: 'observed', ...seen })
      if (!step.completes) continue
      generation += 1
      const times = { createdAt: null, startedAt: null, finishedAt: new Date(epoch + sequence) }
      changes.push({
        kind: 'completed',
        ...seen,
        at: new Date(epoch + sequence + 1),
        error: null,
        labels: {},
        ...times,
      })
    }
    return changes
  })

/** The same events again: every one at least once, some twice, in any order, cut into batches anywhere. */
const redelivered = <T>(history: fc.Arbitrary<T[]>) =>
  history.chain((changes) =>
    fc.tuple(
      fc.constant(changes),
      fc.array(fc.nat({ max: changes.length - 1 }), { maxLength: 10 }).chain((again) => {
        const all = [...changes, ...again.map((i) => changes[i] as T)]
        return fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })
      }),
      fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
    ),
  )

/** As a store does it: a batch is merged in itself first, then into what is known, unless that covers it already. */
function applyInBatches<F>(
  facts: F[],
  cuts: boolean[],
  merge: (a: F, b: F) => F,
  covers: (known: F, news: F) => boolean,
): F {
  let known: F | undefined
  let batch: F | undefined
  const flush = () => {
    if (batch === undefined) return
    if (known === undefined) known = batch
    else if (!covers(known, batch)) known = merge(known, batch)
    batch = undefined
  }
  for (const [i, fact] of facts.entries()) {
    batch = batch === undefined ? fact : merge(batch, fact)
    if (cuts[i]) flush()
  }
  flush()
  return known as F
}

describe('whatever the order, repetition and batching of events', () => {
  it('a job ends as the same document', () => {
    fc.assert(
      fc.property(redelivered(jobHistory), ([changes, delivered, cuts]) => {
        const expected = changes.map(jobFactsOf).reduce(mergeJobFacts)
        const actual = applyInBatches<JobFacts>(delivered.map(jobFactsOf), cuts, mergeJobFacts, jobFactsCover)
        expect(actual).toEqual(expected)
        expect(foldJob(actual)).toEqual(foldJob(expected))
      }),
      { numRuns: 500 },
    )
  })

  it('a run ends as the same document', () => {
    fc.assert(
      fc.property(redelivered(runHistory), ([changes, delivered, cuts]) => {
        const expected = changes.map(runFactsOf).reduce(mergeRunFacts)
        const actual = applyInBatches<RunFacts>(delivered.map(runFactsOf), cuts, mergeRunFacts, runFactsCover)
        expect(foldRun(actual)).toEqual(foldRun(expected))
      }),
      { numRuns: 500 },
    )
  })

  it('the status is that of the highest sequence', () => {
    fc.assert(
      fc.property(redelivered(jobHistory), ([changes, delivered]) => {
        const last = changes.filter((change) => change.kind === 'observed').at(-1)
        expect(foldJob(delivered.map(jobFactsOf).reduce(mergeJobFacts))?.status).toBe(last?.status)
      }),
    )
  })
})
