import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Client, newUser } from './support/client.js'
import { expectProblem } from './support/problems.js'
import type { Artifact, RunSummary } from './support/shapes.js'
import { startTarget, type Target } from './support/target.js'

let target: Target
let client: Client

beforeAll(async () => {
  target = await startTarget()
}, 120_000)

beforeEach(async () => {
  client = (await newUser(target)).client
})

afterAll(() => target?.close())

const text = 'z'.repeat(100_000)
const tasks = {
  big: { uses: 'transform', with: { value: '${{ input.text }}' } },
  after: { needs: ['big'], uses: 'transform', with: { value: '${{ tasks.big.output.size() }}' } },
}

test('an output over 64 KiB is an artifact to readers and itself to expressions', async () => {
  const { id } = await client.runTasks(tasks, { input: { text } })
  const run = await client.ended(id)
  expect(run).toMatchObject({ status: 'succeeded', tasks: [{ output: { size: 100_002 } }, { output: 100_000 }] })
  const { $artifact } = (run.tasks[0]?.output ?? {}) as { $artifact?: string }
  expect(await client.get<string>(`/api/v1/artifacts/${$artifact}/content`)).toBe(text)
  expect(await client.get<Artifact>(`/api/v1/artifacts/${$artifact}`)).toMatchObject({
    runId: id,
    task: 'big',
    size: 100_002,
    state: 'complete',
  })
  expect(await client.get(`/api/v1/runs/${id}/results`)).toEqual({ big: run.tasks[0]?.output, after: 100_000 })
  const stranger = (await newUser(target)).client
  expectProblem(await stranger.call('GET', `/api/v1/artifacts/${$artifact}`), "another's output", 404)
  const again = await client.want<RunSummary>(202, 'POST', `/api/v1/runs/${id}/rerun`, { body: { from: 'after' } })
  expect((await client.ended(again.id)).tasks.map(({ output }) => output)).toEqual(
    run.tasks.map(({ output }) => output),
  )
})

test('nobody but the scheduler chooses the id of an artifact', async () => {
  const chosen = '0199a0a0-0000-8000-8000-000000000001'
  const { id } = await client.want<{ id: string }>(201, 'POST', '/api/v1/artifacts', {
    body: { name: 'a.txt' },
    headers: { 'x-millrace-artifact-id': chosen, 'x-millrace-project-id': chosen },
  })
  expect(id).not.toBe(chosen)
  await waitFor(async () => (await client.call('GET', `/api/v1/artifacts/${id}`)).status === 200)
})

test('a run with more outputs than one message holds shows them all', async () => {
  const piece = 'y'.repeat(60_000)
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [`t${i}`, { uses: 'transform', with: { value: '${{ input.text }}' } }]),
  )
  const { id } = await client.runTasks(many, { input: { text: piece } })
  const run = await client.ended(id, 60_000)
  expect(run.status).toBe('succeeded')
  expect(run.tasks.every(({ output }) => output === piece)).toBe(true)
  expect(Object.keys(await client.get<object>(`/api/v1/runs/${id}/results`))).toHaveLength(60)
  expect((await client.get<{ items: unknown[] }>('/api/v1/runs')).items).toHaveLength(1)
})
