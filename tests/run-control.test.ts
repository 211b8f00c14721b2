import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, newUser, uniqueName } from './support/client.js'
import { expectProblem } from './support/problems.js'
import type { Page, Run, RunSummary } from './support/shapes.js'
import { startTarget, type Target } from './support/target.js'

let target: Target
let account: Account

beforeAll(async () => {
  target = await startTarget()
  account = await newUser(target)
}, 120_000)

afterAll(() => target?.close())

const control = (id: string, verb: string) => account.client.want<Run>(200, 'POST', `/api/v1/runs/${id}/${verb}`)
const statusOf = (run: Run, key: string) => run.tasks.find((task) => task.key === key)?.status

interface Letter {
  id: string
  runId: string
  workflow: string
  taskKey: string
  error: { class: string; message: string }
  attempts: { attempt: number; at: string; error: { class: string } }[]
  input: unknown
  state: string
}

const lettersOf = async (runId: string) =>
  (await account.client.get<Page<Letter>>('/api/v1/dlq')).items.filter((letter) => letter.runId === runId)

interface Explanation {
  blockers: { kind: string }[]
}

describe('a run on hold', () => {
  test('starts when it is resumed, and not before', async () => {
    const { client } = account
    const held = await client.runTasks({ a: { uses: 'noop' } }, { hold: true })
    expect(held.status).toBe('paused')
    const other = await client.runTasks({ a: { uses: 'noop' } })
    await client.ended(other.id)
    const waiting = await client.runUntil(held.id, 'with the scheduler', (run) => run.tasks[0]?.jobId !== null)
    expect(waiting).toMatchObject({ status: 'paused', startedAt: null, tasks: [{ status: 'pending' }] })
    const page = await client.get<Page<RunSummary>>('/api/v1/runs?status=paused')
    expect(page.items.map((run) => run.id)).toContain(held.id)
    await control(held.id, 'resume')
    expect(await client.ended(held.id)).toMatchObject({ status: 'succeeded' })
  })

  test('resumed at once, before the scheduler may have it, starts too', async () => {
    const { client } = account
    const held = await Promise.all(
      Array.from({ length: 10 }, () => client.runTasks({ a: { uses: 'noop' } }, { hold: true })),
    )
    await Promise.all(held.map(({ id }) => control(id, 'resume')))
    const ended = await Promise.all(held.map(({ id }) => client.ended(id)))
    expect(ended.map((run) => run.status)).toEqual(held.map(() => 'succeeded'))
  })
})

describe('a delayed run', () => {
  test('is queued until its time', async () => {
    const { client } = account
    const from = Date.now()
    const { id } = await client.runTasks({ a: { uses: 'noop' } }, { delaySeconds: 1.5 })
    expect(await client.run(id)).toMatchObject({ status: 'queued', startedAt: null })
    const run = await client.ended(id)
    expect(run.status).toBe('succeeded')
    expect(Date.parse(run.startedAt ?? '') - from).toBeGreaterThanOrEqual(1_400)
  })
})

describe('pause', () => {
  test('stops new tasks, not running ones; resume goes on', async () => {
    const { client } = account
    const { id } = await client.runTasks({
      first: { uses: 'sleep', with: { duration: '700ms' } },
      second: { uses: 'noop', needs: ['first'] },
    })
    await client.runUntil(id, 'at its first task', (run) => statusOf(run, 'first') === 'running')
    expect(await control(id, 'pause')).toMatchObject({ status: 'paused' })
    const paused = await client.runUntil(id, 'past its first task', (run) => statusOf(run, 'first') === 'succeeded')
    expect([paused.status, statusOf(paused, 'second')]).toEqual(['paused', expect.stringMatching(/^(pending|queued)$/)])
    await control(id, 'resume')
    expect(await client.ended(id)).toMatchObject({ status: 'succeeded' })
    for (const verb of ['pause', 'resume', 'cancel']) {
      expectProblem(
        await client.call('POST', `/api/v1/runs/${id}/${verb}`),
        `${verb} of an ended run`,
        409,
        'run_ended',
      )
    }
  })
})

describe('retry', () => {
  test('runs failed tasks again, in the same run, and what waited for them', async () => {
    const { client } = account
    const { id } = await client.runTasks({
      ok: { uses: 'noop' },
      shaky: { uses: 'fail', needs: ['ok'], with: { times: 2 }, retry: { maxAttempts: 1 } },
      after: { uses: 'noop', needs: ['shaky'] },
    })
    const failed = await client.ended(id)
    expect([failed.status, statusOf(failed, 'after')]).toEqual(['failed', 'skipped'])
    await control(id, 'retry')
    expect((await client.ended(id)).status).toBe('failed')
    await control(id, 'retry')
    const run = await client.ended(id)
    expect(run.status).toBe('succeeded')
    expect(run.tasks.map(({ key, status, attempt }) => [key, status, attempt])).toEqual([
      ['ok', 'succeeded', 1],
      ['shaky', 'succeeded', 3],
      ['after', 'succeeded', 1],
    ])
    expectProblem(await client.call('POST', `/api/v1/runs/${id}/retry`), 'retry of a success', 409, 'run_not_failed')
  })
})

describe('a dead letter', () => {
  const failing = (with_: object = {}, attempts = 2) =>
    account.client.runTasks({
      bad: { uses: 'fail', with: with_, retry: { maxAttempts: attempts, delay: '50ms' } },
      next: { uses: 'noop', needs: ['bad'] },
    })

  test('holds every attempt; its retry, with another input, continues the run', async () => {
    const { client } = account
    const { id } = await failing({ class: 'network', message: 'no way' })
    await client.ended(id)
    const [letter] = await waitFor(async () => {
      const found = await lettersOf(id)
      return found.length > 0 ? found : undefined
    })
    expect(letter).toMatchObject({
      taskKey: 'bad',
      state: 'open',
      error: { class: 'network', message: 'no way' },
      attempts: [{ attempt: 1 }, { attempt: 2 }],
      input: { class: 'network', message: 'no way' },
    })
    const path = `/api/v1/dlq/${letter?.id}`
    expect(await client.get(path)).toEqual(letter)
    expect(await client.want(200, 'POST', `${path}/retry`, { body: { input: { times: 0 } } })).toMatchObject({
      state: 'retried',
    })
    const run = await client.ended(id)
    expect(run).toMatchObject({ status: 'succeeded' })
    expect(run.tasks.map(({ key, status, attempt }) => [key, status, attempt])).toEqual([
      ['bad', 'succeeded', 3],
      ['next', 'succeeded', 1],
    ])
    expectProblem(await client.call('POST', `${path}/retry`), 'a second retry', 409, 'dead_letter_not_open')
  })

  test('may be found by what it is, and put away', async () => {
    const { client } = account
    const { id, workflow } = await failing({ class: 'timeout' }, 1)
    await client.ended(id)
    const list = (query: string) => client.get<Page<Letter>>(`/api/v1/dlq?workflow=${workflow}&${query}`)
    const [letter] = (await list('class=timeout&state=open')).items
    expect(letter).toMatchObject({ runId: id, workflow })
    expect((await list('class=network')).items).toEqual([])
    expect((await list(`to=${letter?.attempts[0]?.at}`)).items).toEqual([])
    await client.want(204, 'DELETE', `/api/v1/dlq/${letter?.id}`)
    expect((await list('')).items).toEqual([])
    expect((await list('state=deleted')).items).toMatchObject([{ id: letter?.id, state: 'deleted' }])
    expect((await client.run(id)).status).toBe('failed')
  })

  test('is retried with others by a filter', async () => {
    const { client } = account
    const { name } = await client.createWorkflow({
      name: uniqueName('many'),
      tasks: { bad: { uses: 'fail', with: { times: 1 }, retry: { maxAttempts: 1 } } },
    })
    const { items } = await client.want<{ items: { id: string }[] }>(
      202,
      'POST',
      `/api/v1/workflows/${name}/runs/batch`,
      {
        body: { items: Array.from({ length: 20 }, () => ({})) },
      },
    )
    await Promise.all(items.map(({ id }) => client.ended(id)))
    const answer = await client.want<{ items: { outcome: string }[]; more: boolean }>(
      200,
      'POST',
      '/api/v1/dlq/retry',
      {
        body: { filter: { workflow: name } },
      },
    )
    expect(answer.more).toBe(false)
    expect(answer.items.map(({ outcome }) => outcome)).toEqual(Array(20).fill('retried'))
    const ended = await Promise.all(
      items.map(({ id }) => client.runUntil(id, 'succeeded', (run) => run.status === 'succeeded')),
    )
    expect(ended.map((run) => run.tasks[0]?.attempt)).toEqual(Array(20).fill(2))
  })
})

describe('a paused workflow', () => {
  test('keeps new runs waiting and says so; what runs goes on', async () => {
    const { client } = account
    const { name } = await client.createWorkflow({
      name: uniqueName('wf'),
      tasks: { a: { uses: 'sleep', with: { duration: '300ms' } } },
    })
    const before = await client.startRun(name)
    await client.runUntil(before.id, 'running', (run) => run.status === 'running')
    await client.want(200, 'POST', `/api/v1/workflows/${name}/pause`)
    const [waiting, cancelled, held] = await Promise.all([1, 2, 3].map(() => client.startRun(name)))
    expect((await client.ended(before.id)).status).toBe('succeeded')
    expect(await client.get<Explanation>(`/api/v1/runs/${waiting?.id}/explain`)).toMatchObject({
      blockers: [{ kind: 'workflow_paused' }],
    })
    expect((await client.run(waiting?.id ?? '')).status).toBe('queued')
    await control(cancelled?.id ?? '', 'cancel')
    expect(await client.ended(cancelled?.id ?? '')).toMatchObject({ status: 'cancelled', startedAt: null })
    expect(await control(held?.id ?? '', 'pause')).toMatchObject({ status: 'paused' })
    await client.want(200, 'POST', `/api/v1/workflows/${name}/resume`)
    expect((await client.ended(waiting?.id ?? '')).status).toBe('succeeded')
    expect((await client.run(held?.id ?? '')).status).toBe('paused')
    await control(held?.id ?? '', 'resume')
    expect((await client.ended(held?.id ?? '')).status).toBe('succeeded')
  })
})

describe('a rerun', () => {
  test('from a task takes over what came before it, with another input', async () => {
    const { client } = account
    const tasks = {
      a: { uses: 'transform', with: { value: '${{ "a" + input.x }}' } },
      b: { needs: ['a'], uses: 'transform', with: { value: '${{ tasks.a.output + "b" + input.x }}' } },
    }
    const first = await client.runTasks(tasks, { input: { x: '1' } })
    await client.ended(first.id)
    const accepted = await client.want<RunSummary>(202, 'POST', `/api/v1/runs/${first.id}/rerun`, {
      body: { from: 'b', input: { x: '2' } },
    })
    expect(accepted.rerunOf).toEqual({ runId: first.id, from: 'b' })
    const run = await client.ended(accepted.id)
    expect(run).toMatchObject({
      status: 'succeeded',
      tasks: [
        { key: 'a', status: 'succeeded', attempt: 1, reused: true, workerId: null, output: 'a1' },
        { key: 'b', status: 'succeeded', attempt: 1, output: 'a1b2' },
      ],
    })
    expect(await client.get(`/api/v1/runs/${accepted.id}/results`)).toEqual({ a: 'a1', b: 'a1b2' })
    await waitFor(async () => (await client.call('GET', `/api/v1/jobs/${run.tasks[0]?.jobId}`)).status === 200)
  })

  test('of one child of a map takes over the other children', async () => {
    const { client } = account
    const task = { uses: 'transform', with: { value: '${{ item + input.x }}' } }
    const first = await client.runTasks(
      { all: { uses: 'map', with: { items: ['p', 'q', 'r'], task } } },
      { input: { x: '1' } },
    )
    await client.ended(first.id)
    const path = `/api/v1/runs/${first.id}/rerun`
    const body = { from: 'all[1]', input: { x: '2' } }
    const accepted = await client.want<RunSummary>(202, 'POST', path, { body })
    expect(accepted.rerunOf).toEqual({ runId: first.id, from: 'all[1]' })
    const run = await client.ended(accepted.id)
    expect(run.tasks.map(({ output, reused = false }) => [output, reused])).toEqual([
      [['p1', 'q2', 'r1'], false],
      ['p1', true],
      ['q2', false],
      ['r1', true],
    ])
    expectProblem(await client.call('POST', path, { body: { from: 'all[3]' } }), 'an unknown child', 422)
  })

  test('of a run that goes on is refused, and so is a task that is not there', async () => {
    const { client } = account
    const { id } = await client.runTasks({ ask: { uses: 'approval' } })
    const path = `/api/v1/runs/${id}/rerun`
    expectProblem(await client.call('POST', path), 'rerun of a live run', 409, 'run_not_ended')
    await client.runUntil(id, 'waits', (run) => run.tasks[0]?.status === 'waiting')
    await control(id, 'cancel')
    expectProblem(await client.call('POST', path, { body: { from: 'nobody' } }), 'an unknown task', 422)
  })
})
