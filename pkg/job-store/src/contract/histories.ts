import fc from 'fast-check'
import type { JobChange, JobIdentity, RunChange } from '../domain/changes.js'
import { jobStatuses, runStatuses } from '../domain/statuses.js'
import { epoch, failure } from './samples.js'

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
export const jobHistory: fc.Arbitrary<JobChange[]> = fc
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
    fc.uniqueArray(fc.nat({ max: 500 }), { maxLength: 2 }),
  )
  .map(([steps, claims, deaths]) => {
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
    // Retried after the first, it may be given up again.
    const letters = deaths.map(
      (after): JobChange => ({
        kind: 'dead-lettered',
        jobId: 'j',
        projectId: 'p',
        runId: 'r',
        at: new Date(at + after),
      }),
    )
    return [...observed, ...claimed, ...letters]
  })

export const runHistory: fc.Arbitrary<RunChange[]> = fc
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
export const redelivered = <T>(history: fc.Arbitrary<T[]>) =>
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
