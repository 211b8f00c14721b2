import { randomUUID } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Harness, startHarness } from './harness.js'

let harness: Harness
beforeAll(async () => {
  harness = await startHarness()
})
afterAll(() => harness.destroy())

it('what it refuses by itself is in the audit log of the project, with who asked for what', async () => {
  const projectId = randomUUID()
  const subject = `key:${randomUUID()}`
  const response = await harness.get('/api/v1/jobs', { projectId, subject, role: 'worker' })
  expect(response.status).toBe(403)
  const entries = await waitFor(async () => {
    const found = await harness.audited()
    return found.length > 0 ? found : undefined
  })
  expect(entries).toMatchObject([
    {
      ...{ projectId, actor: subject, role: 'worker', requestId: response.headers.get('x-request-id') },
      ...{ action: 'access.denied', outcome: 'denied', target: 'listJobs:role_required' },
    },
  ])
})

it('what is merely not there is not', async () => {
  const before = (await harness.audited()).length
  const projectId = randomUUID()
  expect((await harness.get(`/api/v1/jobs/${randomUUID()}`, { projectId, role: 'viewer' })).status).toBe(404)
  const refused = { projectId, subject: `key:${randomUUID()}`, role: 'worker' } as const
  await harness.get('/api/v1/jobs', refused)
  const entries = await waitFor(async () => {
    const found = (await harness.audited()).slice(before)
    return found.length > 0 ? found : undefined
  })
  expect(entries.map(({ actor }) => actor)).toEqual([refused.subject])
})
