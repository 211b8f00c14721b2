import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, newUser } from '../support/client.js'
import type { Job } from '../support/shapes.js'
import { recordedWithinMs } from '../support/stack.js'
import { startTarget, type Target } from '../support/target.js'

/**
 * How far the record is behind a run. The number is printed for whoever measures; what is asserted is what the stand-in for
 * MongoDB is given everywhere. 5 s are meant for MongoDB itself.
 */
const items = 1_000

let target: Target
let client: Client
beforeAll(async () => {
  target = await startTarget()
  client = (await newUser(target)).client
})
afterAll(() => target.close())

test('every item of a large map comes into the record', { timeout: recordedWithinMs + 360_000 }, async () => {
  const list = Array.from({ length: items }, (_, n) => n)
  const { id } = await client.runTasks({
    all: { uses: 'map', with: { items: list, task: { uses: 'noop' } } },
  })
  // Looked at seldom, the run and its record alike: every look is paid for by what is measured.
  const ended = async () => {
    const run = await client.run(id)
    return run.finishedAt === null ? undefined : run
  }
  const run = await waitFor(ended, { timeoutMs: 300_000, intervalMs: 500, what: 'the run ended' })
  expect(run.status).toBe('succeeded')
  const map = run.tasks.find(({ key, index }) => key === 'all' && index === undefined)
  const recorded = async () => {
    const jobs = await client.all<Job>(`/api/v1/jobs?run=${id}&status=succeeded`)
    return new Set(jobs.filter((job) => job.id !== map?.jobId).map((job) => job.id)).size === items
  }
  await waitFor(recorded, { timeoutMs: recordedWithinMs, intervalMs: 500, what: `${items} jobs are in the record` })
  const behindMs = Date.now() - Date.parse(run.finishedAt ?? '')
  console.log(`the record of a map of ${items} items: ${behindMs} ms behind the end of its run, looks included`)
})
