import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Client, newUser, uniqueName } from './support/client.js'
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

const parentOf = (name: string, input: unknown = {}) =>
  client.runTasks({ sub: { uses: 'workflow', with: { name, input }, retry: { maxAttempts: 1 } } })

const childOf = async (id: string) => {
  const run = await client.runUntil(id, 'has a child', ({ tasks }) => tasks[0]?.childRunId !== undefined)
  return run.tasks[0]?.childRunId ?? ''
}

test('a run of another workflow gives its output to the task that stands for it', async () => {
  const { name } = await client.createWorkflow({
    name: uniqueName('child'),
    input: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
    output: { twice: '${{ tasks.x.output }}' },
    tasks: { x: { uses: 'transform', with: { value: '${{ input.n * 2 }}' } } },
  })
  const parent = await parentOf(name, { n: 21 })
  const run = await client.ended(parent.id)
  expect(run).toMatchObject({ status: 'succeeded', parent: null, tasks: [{ output: { twice: 42 } }] })
  const child = await client.ended(run.tasks[0]?.childRunId ?? '')
  expect(child).toMatchObject({ workflow: name, status: 'succeeded', parent: { runId: parent.id, task: 'sub' } })
})

test('an input that does not fit, and a workflow of another project, fail the task as validation', async () => {
  const { name } = await client.createWorkflow({
    name: uniqueName('child'),
    input: { type: 'object', required: ['n'] },
    tasks: { x: { uses: 'noop' } },
  })
  const wrong = await client.ended((await parentOf(name)).id)
  expect(wrong.tasks[0]).toMatchObject({ status: 'failed', attempt: 1, error: { class: 'validation' } })
  expect(wrong.tasks[0]?.error?.code).toBe('invalid_input')
  const stranger = (await newUser(target)).client
  const foreign = await stranger.runTasks({ sub: { uses: 'workflow', with: { name } } })
  expect((await stranger.ended(foreign.id)).tasks[0]?.error).toMatchObject({
    class: 'validation',
    code: 'workflow_not_found',
  })
})

test('cancel travels down, and up as a failure of class cancelled', async () => {
  const { name } = await client.createWorkflow({ name: uniqueName('child'), tasks: { ask: { uses: 'approval' } } })
  const down = await parentOf(name)
  const orphan = await childOf(down.id)
  await client.want(200, 'POST', `/api/v1/runs/${down.id}/cancel`)
  expect(await client.ended(orphan)).toMatchObject({ status: 'cancelled', reason: 'parent' })
  const up = await parentOf(name)
  const child = await childOf(up.id)
  await client.want(200, 'POST', `/api/v1/runs/${child}/cancel`)
  const run = await client.ended(up.id)
  expect(run).toMatchObject({ status: 'failed', tasks: [{ error: { class: 'cancelled', code: 'child_cancelled' } }] })
  expect(run.tasks[0]?.error?.message).toContain(child)
})
