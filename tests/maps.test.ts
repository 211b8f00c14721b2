import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Client, newUser, uniqueName } from './support/client.js'
import { expectProblem } from './support/problems.js'
import type { Explanation, Job, LogLine, Page, Run, Task } from './support/shapes.js'
import { readEvents } from './support/streams.js'
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

interface Letter {
  id: string
  taskKey: string
  index?: number
  input: unknown
  state: string
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const map = (items: unknown, task: object, more: object = {}) => ({ uses: 'map', with: { items, task, ...more } })
const parent = (run: Run, key = 'm'): Task => {
  const found = run.tasks.find((task) => task.key === key && task.index === undefined)
  if (!found) throw new Error(`there is no task ${key}`)
  return found
}
const children = (run: Run, key = 'm') => run.tasks.filter((task) => task.key === key && task.index !== undefined)

describe('a map', () => {
  test('runs one child for each item and joins their outputs', async () => {
    const { id } = await client.runTasks(
      {
        list: { uses: 'transform', with: { value: '${{ input.items }}' } },
        m: {
          needs: ['list'],
          ...map('${{ tasks.list.output }}', { uses: 'transform', with: { value: '${{ [item, index] }}' } }),
        },
        join: { needs: ['m'], uses: 'transform', with: { value: '${{ tasks.m.output.map(x, x[0] + x[1]) }}' } },
      },
      { input: { items: numbers(250).map((n) => n * 10) } },
    )
    const run = await client.ended(id, 30_000)
    expect(run.status).toBe('succeeded')
    expect(parent(run).output).toEqual(numbers(250).map((n) => [n * 10, n]))
    expect(parent(run, 'join').output).toEqual(numbers(250).map((n) => n * 11))
    expect(children(run).map(({ index }) => index)).toEqual(numbers(200))
    expect(new Set(children(run).map(({ jobId }) => jobId)).size).toBe(200)
    const results = await client.get<Record<string, unknown>>(`/api/v1/runs/${id}/results`)
    expect(Object.keys(results).sort()).toEqual(['join', 'list', 'm'])
    const all = await client.all<Task>(`/api/v1/runs/${id}/tasks?key=m&status=succeeded`, 100)
    expect(all.map(({ index = -1 }) => index)).toEqual([-1, ...numbers(250)])
    expect(all[250]).toMatchObject({ key: 'm', index: 249, output: [2490, 249], attempt: 1 })
  })

  test('has jobs and logs of its children in the records, and tells of them as they change', async () => {
    const { name } = await client.createWorkflow({
      name: uniqueName('seen'),
      tasks: {
        go: { uses: 'signal', with: { name: 'go' } },
        m: { needs: ['go'], ...map(['a', 'b'], { uses: 'transform', with: { value: '${{ item }}' } }) },
      },
    })
    const { id } = await client.startRun(name)
    const stream = await client.open('GET', `/api/v1/runs/${id}/events`, { signal: AbortSignal.timeout(30_000) })
    const seen: Task[] = []
    let waits = false
    const reading = (async () => {
      for await (const { event, data } of readEvents(stream)) {
        if (event === 'task') seen.push(data as Task)
        const told = event === 'task' ? [data as Task] : ((data as Run).tasks ?? [])
        waits ||= told.some(({ key, status }) => key === 'go' && status === 'waiting')
      }
    })()
    // From here on the stream follows the run: one that is late would begin with a snapshot of its end.
    await waitFor(() => waits)
    await client.want(200, 'POST', `/api/v1/runs/${id}/signals/go`, { body: {} })
    const run = await client.ended(id)
    await reading
    expect(seen.filter(({ index, status }) => index === 1 && status === 'succeeded')).toMatchObject([{ output: 'b' }])
    const second = children(run)[1]
    const job = await waitFor(async () => {
      const reply = await client.call<Job>('GET', `/api/v1/jobs/${second?.jobId}`)
      return reply.status === 200 && reply.body.status === 'succeeded' ? reply.body : undefined
    })
    expect(job).toMatchObject({ runId: id, status: 'succeeded', attempts: [{ attempt: 1, status: 'succeeded' }] })
    const lines = await waitFor(async () => {
      const { text } = await client.call('GET', `/api/v1/jobs/${second?.jobId}/logs`)
      const found = text.split('\n').filter((line) => line !== '')
      return found.length >= 2 ? found.map((line) => JSON.parse(line) as LogLine) : undefined
    })
    expect(new Set(lines.map(({ attempt }) => attempt))).toEqual(new Set([1]))
  })

  test('without items gives an empty list; with too many it fails, class validation', async () => {
    const task = { uses: 'noop' }
    const empty = await client.ended((await client.runTasks({ m: map([], task) })).id)
    expect(empty).toMatchObject({ status: 'succeeded', tasks: [{ key: 'm', status: 'succeeded', output: [] }] })
    const body = { input: { items: numbers(10_001) } }
    const full = await client.ended((await client.runTasks({ m: map('${{ input.items }}', task) }, body)).id)
    expect(full).toMatchObject({ status: 'failed', tasks: [{ status: 'failed', error: { class: 'validation' } }] })
    const nested = { name: uniqueName('nested'), tasks: { m: map([1], map([1], task)) } }
    const problem = expectProblem(await client.call('POST', '/api/v1/workflows', { body: nested }), 'nested', 422)
    expect(problem.errors).toMatchObject([{ path: '/tasks/m/with/task/uses', code: 'nested_map' }])
  })

  test('puts secrets into its children', async () => {
    await client.want(200, 'PUT', '/api/v1/secrets/token', { body: { value: 'sesame' } })
    const url = `${target.sink.url}/map-${'${{ item }}'}`
    const { id } = await client.runTasks({
      m: map(['x', 'y'], { uses: 'http', with: { method: 'POST', url, body: { key: '${{ secrets.token }}' } } }),
    })
    const run = await client.ended(id)
    expect(run.status).toBe('succeeded')
    for (const item of ['x', 'y']) {
      const sent = target.sink.requests.filter((request) => request.url === `/map-${item}`)
      expect(sent.map((request) => JSON.parse(request.body.toString()))).toEqual([{ key: 'sesame' }])
    }
    expect(JSON.stringify(run)).not.toContain('sesame')
  })
})

describe('children that fail', () => {
  test('leave null and a dead letter, whose retry ends the map anew', async () => {
    const retry = { maxAttempts: 2, delay: '10ms', jitter: 'none' }
    const { id } = await client.runTasks({ m: map([0, 1, 9], { uses: 'fail', with: { times: '${{ item }}' }, retry }) })
    const run = await client.ended(id)
    expect(run.status).toBe('failed')
    expect(parent(run)).toMatchObject({ status: 'failed', output: [{ attempt: 1 }, { attempt: 2 }, null] })
    expect(children(run).map(({ status, attempt }) => [status, attempt])).toEqual([
      ['succeeded', 1],
      ['succeeded', 2],
      ['failed', 2],
    ])
    const { items } = await client.get<Page<Letter>>(`/api/v1/dlq?workflow=${run.workflow}`)
    expect(items).toMatchObject([{ taskKey: 'm', index: 2, input: { times: 9 }, state: 'open' }])
    const path = `/api/v1/dlq/${items[0]?.id}/retry`
    await client.want(200, 'POST', path, { body: { input: { times: 0 } } })
    expectProblem(await client.call('POST', path, { body: {} }), 'a second retry', 409)
    const again = await client.runUntil(id, 'succeeded', ({ status }) => status === 'succeeded')
    expect(parent(again).output).toEqual([{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }])
  })

  test('are tried again when their run is retried', async () => {
    const { id } = await client.runTasks({
      m: map([0, 2, 1], { uses: 'fail', with: { times: '${{ item }}' }, retry: { maxAttempts: 1 } }),
    })
    expect(children(await client.ended(id)).map(({ status }) => status)).toEqual(['succeeded', 'failed', 'failed'])
    await client.want(200, 'POST', `/api/v1/runs/${id}/retry`)
    const once = await client.runUntil(
      id,
      'failed again',
      ({ status, tasks }) => status === 'failed' && tasks[0]?.attempt === 2,
    )
    expect(children(once).map(({ status, attempt }) => [status, attempt])).toEqual([
      ['succeeded', 1],
      ['failed', 2],
      ['succeeded', 2],
    ])
  })
})

test('a cancelled run ends the children of its maps, and explain says how far they are', async () => {
  const { id } = await client.runTasks({
    m: map(numbers(120), { uses: 'sleep', with: { duration: '${{ item < 3 ? "1ms" : "3s" }}' } }, { maxParallel: 60 }),
  })
  await client.runUntil(id, 'begun', (run) => children(run).some(({ status }) => status === 'succeeded'))
  const explained = await client.get<Explanation>(`/api/v1/runs/${id}/explain`)
  expect(explained.tasks[0]).toMatchObject({ key: 'm', status: 'waiting', blockers: [{ kind: 'dependency' }] })
  expect(explained.tasks[0]?.why).toMatch(/ [1-9]\d* of 120/)
  expect(explained.tasks).toContainEqual(
    expect.objectContaining({ key: 'm', index: expect.any(Number), status: 'succeeded' }),
  )
  await client.want(200, 'POST', `/api/v1/runs/${id}/cancel`)
  const run = await client.ended(id)
  expect(run.status).toBe('cancelled')
  expect(parent(run).status).toBe('cancelled')
  const statuses = new Set(children(run).map(({ status }) => status))
  expect(statuses).toEqual(new Set(['succeeded', 'cancelled']))
  const job = children(run).find(({ status }) => status === 'cancelled')?.jobId
  await waitFor(async () => (await client.call<Job>('GET', `/api/v1/jobs/${job}`)).body?.status === 'cancelled')
})
