import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Account, type Client, newUser, uniqueName } from './support/client.js'
import type { Explanation, Run } from './support/shapes.js'
import { startTarget, type Target } from './support/target.js'

let target: Target
let account: Account
let client: Client

beforeAll(async () => {
  target = await startTarget()
}, 120_000)

beforeEach(async () => {
  account = await newUser(target)
  client = account.client
})

afterAll(() => target?.close())

type TaskFacts = Run['tasks'][number] & { input: unknown; waitingFor?: Record<string, unknown> }
type Facts = Omit<Run, 'tasks' | 'error'> & {
  startedBy: { type: string; id: string; name?: string } | null
  traceId: string | null
  runAt?: string
  error: (Record<string, unknown> & { task: string | null }) | null
  tasks: TaskFacts[]
}

const facts = (id: string) => client.get<Facts>(`/api/v1/runs/${id}`)
const untilWaiting = async (id: string, key: string) =>
  waitFor(async () => {
    const task = (await facts(id)).tasks.find((each) => each.key === key)
    return task?.status === 'waiting' ? task : undefined
  })

test('a task shows what it was given: resolved, and secrets by name alone', async () => {
  await client.want(200, 'PUT', '/api/v1/secrets/token', { body: { value: 'a-value-that-nobody-sees' } })
  const { name } = await client.createWorkflow({
    name: uniqueName('facts'),
    tasks: {
      plain: { uses: 'noop', with: { output: 7 } },
      resolved: { needs: ['plain'], uses: 'noop', with: { output: { twice: '${{ tasks.plain.output * 2 }}' } } },
      secret: { needs: ['plain'], uses: 'noop', with: { output: 'Bearer ${{ secrets.token }}' } },
      never: { needs: ['plain'], if: '${{ false }}', uses: 'noop', with: { output: 1 } },
      each: {
        needs: ['plain'],
        uses: 'map',
        with: { items: [10, 20], task: { uses: 'noop', with: { output: '${{ item + 1 }}' } } },
      },
    },
  })
  const { id } = await client.startRun(name)
  await client.ended(id)
  const run = await facts(id)
  const inputOf = (key: string, index?: number) => run.tasks.find((t) => t.key === key && t.index === index)?.input
  expect(inputOf('plain')).toEqual({ output: 7 })
  expect(inputOf('resolved')).toEqual({ output: { twice: 14 } })
  expect(JSON.stringify(inputOf('secret'))).toContain('token')
  expect(JSON.stringify(run)).not.toContain('a-value-that-nobody-sees')
  expect(inputOf('never')).toBeNull()
  expect(inputOf('each', 1)).toEqual({ output: 21 })
  const page = await client.all<TaskFacts>(`/api/v1/runs/${id}/tasks`)
  expect(page.find((task) => task.key === 'resolved')?.input).toEqual({ output: { twice: 14 } })
})

test('a run says who or what started it, and which trace it belongs to', async () => {
  const { name } = await client.createWorkflow({ name: uniqueName('facts'), tasks: { a: { uses: 'noop' } } })
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const byUser = await client.startRun(name, {}, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` })
  expect(byUser).toMatchObject({ startedBy: { type: 'user', id: account.id } })
  await client.ended(byUser.id)
  const started = { type: 'user', id: account.id, name: 'A user' }
  expect((await facts(byUser.id)).startedBy).toEqual(started)
  const key = await client.createKey('operator')
  const byKey = await client.as(key.key).startRun(name)
  expect(byKey).toMatchObject({ startedBy: { type: 'api_key', id: key.id } })
  // Owners alone list keys, so they alone read their names; members are listed for everybody.
  expect((await facts(byKey.id)).startedBy).toEqual({ type: 'api_key', id: key.id, name: 'key of operator' })
  const operator = client.as(key.key)
  expect((await operator.get<Facts>(`/api/v1/runs/${byKey.id}`)).startedBy).toEqual({ type: 'api_key', id: key.id })
  expect((await operator.get<Facts>(`/api/v1/runs/${byUser.id}`)).startedBy).toEqual(started)
  const hook = await client.want<{ id: string; url: string }>(201, 'POST', `/api/v1/workflows/${name}/hooks`)
  const { pathname } = new URL(hook.url, target.url)
  const byHook = await client.as(undefined).want<{ id: string }>(202, 'POST', pathname, { body: {} })
  expect((await facts(byHook.id)).startedBy).toEqual({ type: 'hook', id: hook.id })
  const again = await client.want<Facts>(202, 'POST', `/api/v1/runs/${byUser.id}/rerun`, { body: {} })
  expect(again.startedBy).toEqual({ type: 'rerun', id: byUser.id })
  const parent = await client.runTasks({ child: { uses: 'workflow', with: { name } } })
  const ended = await client.ended(parent.id)
  const child = (ended.tasks[0] as { childRunId?: string }).childRunId ?? ''
  expect((await facts(child)).startedBy).toEqual({ type: 'run', id: parent.id })
  const every = { workflow: name, name: 'each second', cron: '* * * * * *' }
  const schedule = await client.want<{ id: string }>(201, 'POST', '/api/v1/schedules', { body: every })
  const byClock = { type: 'schedule', id: schedule.id, name: 'each second' }
  const label = encodeURIComponent(`schedule=${schedule.id}`)
  const tick = await waitFor(async () => (await client.all<Facts>(`/api/v1/runs?label=${label}`))[0])
  expect(tick.startedBy).toEqual(byClock)
  const listed = await client.all<Facts>('/api/v1/runs')
  expect(listed.find(({ id }) => id === byUser.id)?.startedBy).toEqual(started)
  expect(listed.every(({ startedBy, traceId: trace }) => startedBy !== null && trace !== undefined)).toBe(true)
})

test('a failed run names the task that failed it', async () => {
  const { id } = await client.runTasks({
    ok: { uses: 'noop' },
    bad: { needs: ['ok'], uses: 'fail', with: { message: 'no luck' }, retry: { maxAttempts: 1 } },
    after: { needs: ['bad'], uses: 'noop' },
  })
  await client.ended(id)
  expect((await facts(id)).error).toMatchObject({ task: 'bad', class: 'user', retryable: expect.any(Boolean) })
  expect((await facts(id)).error?.message).toContain('no luck')
  expect((await facts(id)).error).not.toHaveProperty('index')
  const mapped = await client.runTasks({
    each: {
      uses: 'map',
      with: {
        items: [0, 1, 0, 1],
        task: { uses: 'fail', with: { times: '${{ item }}' }, retry: { maxAttempts: 1 } },
      },
    },
  })
  await client.ended(mapped.id)
  expect((await facts(mapped.id)).error).toMatchObject({ task: 'each', index: 1, code: 'map_failed' })
  const late = await client.createWorkflow({
    name: uniqueName('facts'),
    timeout: '300ms',
    tasks: { nap: { uses: 'sleep', with: { duration: '30s' } } },
  })
  const timedOut = await client.startRun(late.name)
  await client.ended(timedOut.id)
  expect((await facts(timedOut.id)).error).toMatchObject({ task: null, class: 'timeout' })
})

test('a delayed run says when it starts, and explain says so', async () => {
  const { id } = await client.runTasks(
    { a: { uses: 'noop' }, b: { needs: ['a'], uses: 'noop' } },
    { delaySeconds: 3600 },
  )
  await waitFor(async () => (await facts(id)).tasks[0]?.jobId !== null)
  const run = await facts(id)
  expect(run.status).toBe('queued')
  const inMs = Date.parse(run.runAt ?? '') - Date.now()
  expect(inMs).toBeGreaterThan(3_500_000)
  expect(inMs).toBeLessThan(3_700_000)
  const explained = await client.get<Explanation>(`/api/v1/runs/${id}/explain`)
  expect(explained.blockers).toEqual([{ kind: 'timer', detail: `the run starts at ${run.runAt}` }])
  expect(explained.tasks[0]?.blockers[0]?.kind).toBe('timer')
  expect(explained.tasks[1]?.blockers[0]?.kind).toBe('dependency')
  expect((await client.runTasks({ a: { uses: 'noop' } })) as object).not.toHaveProperty('runAt')
})

test('a task that waits says for what', async () => {
  const child = await client.createWorkflow({
    name: uniqueName('child'),
    tasks: { hold: { uses: 'signal', with: { name: 'go' } } },
  })
  const { id } = await client.runTasks({
    ask: { uses: 'approval', with: { role: 'owner', message: 'Ship it?' } },
    hear: { uses: 'signal', with: { name: 'paid' } },
    sub: { uses: 'workflow', with: { name: child.name } },
    many: {
      uses: 'map',
      with: { items: [1, 2, 3], task: { uses: 'sleep', with: { duration: '${{ item == 1 ? "1ms" : "40s" }}' } } },
    },
  })
  expect((await untilWaiting(id, 'ask')).waitingFor).toEqual({ kind: 'approval', role: 'owner', message: 'Ship it?' })
  expect((await untilWaiting(id, 'hear')).waitingFor).toEqual({ kind: 'signal', name: 'paid' })
  const sub = await waitFor(async () => {
    const waiting = (await untilWaiting(id, 'sub')).waitingFor
    return waiting?.runId === null ? undefined : waiting
  })
  expect(sub).toEqual({ kind: 'run', runId: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  const many = await waitFor(async () => {
    const waiting = (await untilWaiting(id, 'many')).waitingFor
    return waiting?.done === 1 ? waiting : undefined
  })
  expect(many).toEqual({ kind: 'map', done: 1, total: 3 })
  const { tasks } = await client.get<Explanation>(`/api/v1/runs/${id}/explain`)
  const why = (key: string) => tasks.find((task) => task.key === key)?.why
  expect(why('ask')).toContain('role owner')
  expect(why('ask')).toContain('Ship it?')
  expect(why('hear')).toContain('signal paid')
  await client.want(200, 'POST', `/api/v1/runs/${id}/cancel`)
})
