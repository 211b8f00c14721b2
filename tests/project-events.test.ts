import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Client, newUser, uniqueName } from './support/client.js'
import { expectProblem } from './support/problems.js'
import { readEvents, type ServerEvent } from './support/streams.js'
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

interface Seen {
  id?: string
  runId?: string
  key?: string
  status: string
  workflow: string
}

async function watch(as: Client, query = '', lastEventId?: string) {
  const stop = new AbortController()
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const response = await as.open('GET', `/api/v1/events${query}`, { headers, signal: stop.signal })
  expect(response.status, await (response.ok ? '' : response.text())).toBe(200)
  const events: ServerEvent[] = []
  const reading = (async () => {
    for await (const event of readEvents(response)) events.push(event)
  })().catch(() => undefined)
  const close = async () => {
    stop.abort()
    await reading
  }
  const runs = () => events.filter(({ event }) => event === 'run').map(({ data }) => data as Seen)
  const tasks = () => events.filter(({ event }) => event === 'task').map(({ data }) => data as Seen)
  return { events, runs, tasks, close, until: (done: () => boolean) => waitFor(done, { timeoutMs: 20_000 }) }
}

test('every change of every run and task of the project comes, and nothing of another project', async () => {
  const stream = await watch(client)
  const other = (await newUser(target)).client
  const theirs = await other.runTasks({ a: { uses: 'noop' } })
  const first = await client.runTasks({
    a: { uses: 'noop' },
    b: { needs: ['a'], uses: 'fail', retry: { maxAttempts: 1 } },
  })
  const second = await client.runTasks({ only: { uses: 'transform', with: { value: 42 } } })
  await other.ended(theirs.id)
  await stream.until(() => stream.runs().filter(({ status }) => ['succeeded', 'failed'].includes(status)).length === 2)
  const last = (id: string) => stream.runs().findLast((run) => run.id === id)
  expect(last(first.id)).toMatchObject({ status: 'failed', labels: {}, workflow: first.workflow })
  expect(last(first.id)).not.toHaveProperty('tasks')
  expect(last(second.id)).toMatchObject({ status: 'succeeded', workflow: second.workflow })
  const statusOf = (runId: string, key: string) =>
    stream.tasks().findLast((task) => task.runId === runId && task.key === key)
  // Runs and tasks are different topics: on Kafka the end of a run may come before that of its last task.
  const told = ([id, key]: readonly [string, string]) =>
    ['succeeded', 'failed'].includes(statusOf(id, key)?.status ?? '')
  await stream.until(() =>
    (
      [
        [first.id, 'a'],
        [first.id, 'b'],
        [second.id, 'only'],
      ] as const
    ).every(told),
  )
  expect(statusOf(first.id, 'a')?.status).toBe('succeeded')
  expect(statusOf(first.id, 'b')).toMatchObject({ status: 'failed', error: { class: 'user' } })
  expect(statusOf(second.id, 'only')).toMatchObject({ status: 'succeeded', output: 42, workflow: second.workflow })
  const ids = new Set(stream.events.map(({ data }) => (data as Seen).runId ?? (data as Seen).id))
  expect(ids).toEqual(new Set([first.id, second.id]))
  await stream.close()
})

test('filters choose by kind, workflow, status and label', async () => {
  const { name } = await client.createWorkflow({ name: uniqueName('wf'), tasks: { a: { uses: 'noop' } } })
  const streams = await Promise.all([
    watch(client, '?types=task'),
    watch(client, `?workflow=${name}`),
    watch(client, '?status=failed,cancelled'),
    watch(client, '?label=team%3Dshop&types=run,task'),
  ])
  const ok = await client.startRun(name, { labels: { team: 'shop' } })
  const bad = await client.runTasks({ x: { uses: 'fail', retry: { maxAttempts: 1 } } })
  await client.ended(ok.id)
  await client.ended(bad.id)
  const [tasks, ofWorkflow, failed, labelled] = streams
  await failed?.until(() => failed.runs().length === 1)
  await tasks?.until(() => tasks.tasks().some(({ runId, status }) => runId === bad.id && status === 'failed'))
  await ofWorkflow?.until(() => ofWorkflow.runs().some(({ status }) => status === 'succeeded'))
  await labelled?.until(() => labelled.runs().some(({ status }) => status === 'succeeded'))
  expect(tasks?.runs()).toEqual([])
  for (const stream of [ofWorkflow, labelled]) {
    expect(new Set(stream?.events.map(({ data }) => (data as Seen).workflow))).toEqual(new Set([name]))
  }
  expect(new Set(failed?.events.map(({ data }) => (data as Seen).status))).toEqual(new Set(['failed']))
  await Promise.all(streams.map((stream) => stream.close()))
})

test('a reader that was away resumes where it was, or is told to read anew', async () => {
  const before = await watch(client, '?types=run')
  const first = await client.runTasks({ a: { uses: 'noop' } })
  await before.until(() => before.runs().some(({ status }) => status === 'succeeded'))
  const place = before.events.at(-1)?.id
  await before.close()
  const missed = await client.runTasks({ a: { uses: 'noop' } })
  await client.ended(missed.id)
  const resumed = await watch(client, '?types=run', place)
  await resumed.until(() => resumed.runs().some(({ id, status }) => id === missed.id && status === 'succeeded'))
  expect(resumed.runs().every(({ id }) => id !== first.id)).toBe(true)
  expect(resumed.events.every(({ event }) => event === 'run')).toBe(true)
  await resumed.close()
  for (const unknown of ['0', 'ffffffffffff-3', 'a b c', '-']) {
    const lost = await watch(client, '', unknown)
    await lost.until(() => lost.events.length === 1)
    expect(lost.events[0]).toMatchObject({ event: 'reset' })
    await lost.close()
  }
})

test('a run on hold is told of at once, and a change is seen soon', async () => {
  const stream = await watch(client, '?types=run')
  const { id } = await client.runTasks({ a: { uses: 'noop' } }, { hold: true })
  await stream.until(() => stream.runs().some((run) => run.id === id && run.status === 'paused'))
  await client.want(200, 'POST', `/api/v1/runs/${id}/resume`)
  await stream.until(() => stream.runs().some((run) => run.id === id && run.status === 'succeeded'))
  await stream.close()
})

test('counts by status agree with the list, from the moment a run is accepted', async () => {
  const counts = async (query = '') => {
    const { items } = await client.get<{ items: { status: string; count: number }[] }>(`/api/v1/runs/counts${query}`)
    return Object.fromEntries(items.map(({ status, count }) => [status, count]))
  }
  const none = { queued: 0, running: 0, paused: 0, cancelling: 0, succeeded: 0, failed: 0, cancelled: 0 }
  expect(await counts()).toEqual(none)
  const { name } = await client.createWorkflow({ name: uniqueName('wf'), tasks: { a: { uses: 'noop' } } })
  await client.want(200, 'POST', `/api/v1/workflows/${name}/pause`)
  await client.startRun(name)
  expect(await counts()).toEqual({ ...none, queued: 1 })
  const held = await client.runTasks({ a: { uses: 'noop' } }, { hold: true })
  expect(await counts()).toEqual({ ...none, queued: 1, paused: 1 })
  const done = await client.runTasks({ a: { uses: 'noop' } })
  await client.ended(done.id)
  expect(await counts()).toEqual({ ...none, queued: 1, paused: 1, succeeded: 1 })
  expect(await counts(`?workflow=${name}`)).toEqual({ ...none, queued: 1 })
  expect(await counts(`?to=${held.createdAt}`)).toEqual({ ...none, queued: 1 })
  const listed = await client.all<{ status: string }>('/api/v1/runs?status=paused,succeeded')
  expect(listed.map(({ status }) => status).sort()).toEqual(['paused', 'succeeded'])
})

test('approvals are listed for whoever may decide them', async () => {
  const ask = (role: string) => client.runTasks({ ask: { uses: 'approval', with: { role, message: `for ${role}` } } })
  const [forOwner, forOperator] = [await ask('owner'), await ask('operator')]
  const mine = await waitFor(async () => {
    const items = await client.all<{ run: { id: string }; task: { key: string }; role: string; message: string }>(
      '/api/v1/approvals',
      1,
    )
    return items.length === 2 ? items : undefined
  })
  expect(mine.map(({ run, task, role, message }) => [run.id, task.key, role, message])).toEqual([
    [forOwner.id, 'ask', 'owner', 'for owner'],
    [forOperator.id, 'ask', 'operator', 'for operator'],
  ])
  const operator = client.as((await client.createKey('operator')).key)
  const viewer = client.as((await client.createKey('viewer')).key)
  expect((await operator.all<{ role: string }>('/api/v1/approvals')).map(({ role }) => role)).toEqual(['operator'])
  expect(await viewer.all('/api/v1/approvals')).toEqual([])
  await operator.want(200, 'POST', `/api/v1/runs/${forOperator.id}/tasks/ask/approve`)
  expect((await client.all<{ role: string }>('/api/v1/approvals')).map(({ role }) => role)).toEqual(['owner'])
})

test('a query parameter that the call does not have is named and refused', async () => {
  const refused = await client.call<{ errors: { path: string }[] }>('GET', '/api/v1/runs?statsu=failed&limit=1&x=1')
  expectProblem(refused, 'unknown parameters', 422, 'unknown_parameter')
  expect(refused.body.errors.map(({ path }) => path)).toEqual(['/statsu', '/x'])
  expectProblem(await client.call('GET', '/api/v1/events?status=nonsense'), 'a status that is none', 422)
  expectProblem(await client.as(undefined).call('GET', '/api/v1/runs?statsu=1'), 'without a token', 401)
})
