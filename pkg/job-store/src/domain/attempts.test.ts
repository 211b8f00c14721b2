import { expect, it } from 'vitest'
import { epoch, failure } from '../contract/samples.js'
import { foldAttempts, foldExecutions } from './attempts.js'
import type { JobObservation } from './job-facts.js'
import type { JobStatus } from './statuses.js'

type Step = [status: JobStatus, attempt: number, failed?: boolean]

const history = (...steps: Step[]): JobObservation[] =>
  steps.map(([status, attempt, failed], sequence) => ({
    sequence,
    at: epoch + sequence * 10,
    status,
    attempt,
    workerId: status === 'running' ? 'w' : null,
    error: failed ? failure('no luck') : null,
  }))

const told = (steps: Step[]) => foldExecutions(history(...steps)).map(({ attempt, status }) => `${attempt} ${status}`)

it('a retry that waits in the queue is one attempt, though the queued task still shows the last error', () => {
  expect(
    told([
      ['running', 1],
      ['delayed', 1, true],
      ['queued', 2, true],
      ['running', 2, true],
      ['delayed', 2, true],
      ['queued', 3, true],
      ['running', 3, true],
      ['succeeded', 3],
    ]),
  ).toEqual(['1 failed', '2 failed', '3 succeeded'])
})

it('a retry that is leased at once is one attempt', () => {
  expect(
    told([
      ['running', 1],
      ['delayed', 1, true],
      ['running', 2, true],
      ['failed', 2, true],
    ]),
  ).toEqual(['1 failed', '2 failed'])
})

it('an attempt that failed before any lease is told', () => {
  expect(told([['failed', 1, true]])).toEqual(['1 failed'])
})

it("a dead worker's lease is lost, with times of its own, and its attempt shows again", () => {
  const lost = { code: 'lost_worker', message: 'gone', class: 'lost_worker', retryable: true }
  const observations = history(['running', 1], ['queued', 1], ['running', 1], ['succeeded', 1])
  const [began, requeued, ...rest] = observations
  if (!began || !requeued) throw new Error('two observations')
  const claim = { leaseId: 'l', attempt: 1, at: epoch + 30, executionMs: 7, outputBytes: 2, error: null }
  const attempts = foldAttempts({ observations: [began, { ...requeued, error: lost }, ...rest], claims: [claim] })
  const at = (ms: number) => new Date(epoch + ms).toISOString()
  expect(attempts).toMatchObject([
    { attempt: 1, status: 'lost_worker', startedAt: at(0), finishedAt: at(10), executionMs: null, error: lost },
    { attempt: 1, status: 'succeeded', startedAt: at(20), finishedAt: at(30), executionMs: 7, error: null },
  ])
})

it('a lease handed back shows, and its attempt again', () => {
  expect(
    told([
      ['running', 1],
      ['queued', 1],
      ['running', 1],
      ['succeeded', 1],
    ]),
  ).toEqual(['1 handed_back', '1 succeeded'])
})
