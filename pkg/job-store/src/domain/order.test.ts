import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jobHistory, redelivered, runHistory } from '../contract/histories.js'
import { foldJob } from './job-document.js'
import { type JobFacts, jobFactsCover, jobFactsOf, mergeJobFacts } from './job-facts.js'
import { foldRun } from './run-document.js'
import { mergeRunFacts, type RunFacts, runFactsCover, runFactsOf } from './run-facts.js'

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
