import { randomUUID } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Client, newUser, uniqueName } from './support/client.js'
import { expectProblem } from './support/problems.js'
import type { Explanation, Run, RunSummary, Task } from './support/shapes.js'
import { collect, readEvents } from './support/streams.js'
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

const statuses = ({ tasks }: Run) => Object.fromEntries(tasks.map(({ key, status }) => [key, status]))
const task = (run: Run, key: string): Task | undefined => run.tasks.find((one) => one.key === key)

describe('the input', () => {
  test('is held to the schema of the workflow', async () => {
    const name = uniqueName('input')
    await client.createWorkflow({
      name,
      input: {
        type: 'object',
        required: ['n'],
        properties: { n: { type: 'integer', minimum: 1 } },
        additionalProperties: false,
      },
      tasks: { a: { uses: 'transform', with: { value: '${{ input.n * 2 }}' } } },
    })
    for (const input of [undefined, {}, { n: 0 }, { n: '1' }, { n: 1, m: 2 }, [1], 'text']) {
      const reply = await client.call('POST', `/api/v1/workflows/${name}/runs`, { body: { input } })
      expect(expectProblem(reply, JSON.stringify(input), 422).errors?.length).toBeGreaterThan(0)
    }
    const run = await client.ended((await client.startRun(name, { input: { n: 21 } })).id)
    expect(run).toMatchObject({ status: 'succeeded', input: { n: 21 }, tasks: [{ output: 42 }] })
    expect(await client.all('/api/v1/runs'), 'a refused start leaves no run').toHaveLength(1)
  })

  test('comes back as it was given, whatever JSON it is', async () => {
    const input = {
      text: 'nul \u0000, \u{1f600}, \ud83d',
      list: [1, 1.5, 1e21, -0, null, true, {}],
      'odd key.$': { '': '' },
    }
    const { id } = await client.runTasks({ a: { uses: 'transform', with: { value: '${{ input }}' } } }, { input })
    const run = await client.ended(id)
    expect(run.input).toEqual(JSON.parse(JSON.stringify(input)))
    expect(run).toMatchObject({ status: 'succeeded' })
    expect(run.tasks[0]?.output).toMatchObject({ list: [1, 1.5, 1e21, 0, null, true, {}], 'odd key.$': { '': '' } })
  })

  test('may be 256 KiB and no more', async () => {
    const { name } = await client.createWorkflow({ name: uniqueName('big'), tasks: { a: { uses: 'noop' } } })
    await client.startRun(name, { input: { text: 'x'.repeat(250 * 1024) } })
    const reply = await client.call('POST', `/api/v1/workflows/${name}/runs`, {
      body: { input: { text: 'x'.repeat(256 * 1024) } },
    })
    expect([413, 422]).toContain(expectProblem(reply, '256 KiB').status)
  })
})

test('the same Idempotency-Key starts one run, also at the same moment', async () => {
  const { name } = await client.createWorkflow({ name: uniqueName('once'), tasks: { a: { uses: 'noop' } } })
  const key = randomUUID()
  const start = (input: object) =>
    client.call<RunSummary>('POST', `/api/v1/workflows/${name}/runs`, {
      body: { input },
      headers: { 'idempotency-key': key },
    })
  const replies = await Promise.all(Array.from({ length: 10 }, () => start({ n: 1 })))
  for (const reply of replies) {
    if (reply.status !== 202) expectProblem(reply, 'in flight', 409, 'idempotency_in_progress')
  }
  const again = await start({ n: 1 })
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  const ids = new Set([...replies, again].filter(({ status }) => status === 202).map(({ body }) => body.id))
  expect(ids.size).toBe(1)
  expectProblem(await start({ n: 2 }), 'another body', 409, 'idempotency_conflict')
  expect(await client.all('/api/v1/runs')).toHaveLength(1)
})

describe('the list', () => {
  test('has each of 50 runs from its 202 on, and pages without a gap or a repeat while more begin', async () => {
    const { name } = await client.createWorkflow({ name: uniqueName('list'), tasks: { a: { uses: 'noop' } } })
    const started: string[] = []
    const startAndLook = async () => {
      const { id } = await client.startRun(name)
      started.push(id)
      const listed = await client.get<{ items: RunSummary[] }>(`/api/v1/runs?workflow=${name}&limit=200`)
      expect(listed.items.map((run) => run.id)).toContain(id)
      const alone = await client.run(id)
      expect(alone.workflow).toBe(name)
    }
    for (let i = 0; i < 10; i++) {
      await Promise.all([
        ...Array.from({ length: 5 }, startAndLook),
        (async () => {
          const known = [...started]
          const ids = (await client.all<RunSummary>(`/api/v1/runs?workflow=${name}`, 3)).map(({ id }) => id)
          expect(new Set(ids).size, 'no run twice').toBe(ids.length)
          expect(ids, 'none left out').toEqual(expect.arrayContaining(known))
        })(),
      ])
    }
    const all = await client.all<RunSummary>(`/api/v1/runs?workflow=${name}`, 7)
    expect(all.map(({ id }) => id).sort()).toEqual(started.sort())
    const times = all.map(({ createdAt }) => createdAt)
    expect(times, 'newest first').toEqual([...times].sort().reverse())
    await waitFor(
      async () => {
        const done = await client.all<RunSummary>(`/api/v1/runs?workflow=${name}&status=succeeded`)
        return done.length === 50
      },
      { timeoutMs: 20_000 },
    )
  })

  test('is filtered by workflow, status, label, time and text', async () => {
    const good = await client.createWorkflow({ name: uniqueName('good'), tasks: { a: { uses: 'noop' } } })
    const bad = await client.createWorkflow({
      name: uniqueName('bad'),
      tasks: { a: { uses: 'fail', retry: { maxAttempts: 1 } } },
    })
    const one = await client.startRun(good.name, { labels: { team: 'red', tier: '1' }, priority: 9 })
    const two = await client.startRun(good.name, { labels: { team: 'blue' }, priority: 0 })
    const three = await client.startRun(bad.name)
    await Promise.all([one, two, three].map(({ id }) => client.ended(id)))
    const ids = async (query: string) => (await client.all<RunSummary>(`/api/v1/runs?${query}`)).map(({ id }) => id)
    expect(await ids(`workflow=${good.name}`)).toEqual([two.id, one.id])
    expect(await ids('status=failed')).toEqual([three.id])
    expect(await ids('label=team%3Dred')).toEqual([one.id])
    expect(await ids('label=team%3Dgreen')).toEqual([])
    expect(await ids(`from=${three.createdAt}`)).toContain(three.id)
    expect(await ids(`to=${one.createdAt}`)).toEqual([])
    expect(await ids(`q=${bad.name}`)).toEqual([three.id])
    expect(await ids('q=FAILED%20as')).toEqual([three.id])
    expect(await ids('errorCode=failed_as_asked')).toEqual([three.id])
    expect(await ids('errorCode=failed_as_asked&status=succeeded')).toEqual([])
    expect(await ids('errorCode=failed')).toEqual([])
    expect(await client.run(one.id)).toMatchObject({ priority: 9, labels: { team: 'red', tier: '1' } })
    for (const body of [{ priority: 10 }, { priority: -1 }, { priority: '5' }, { labels: { a: 1 } }, { version: 7 }]) {
      const reply = await client.call('POST', `/api/v1/workflows/${good.name}/runs`, { body })
      expect([404, 422]).toContain(expectProblem(reply, JSON.stringify(body)).status)
    }
  })
})

describe('cancelling', () => {
  test('ends a running run within 2 s, for good', async () => {
    const { id } = await client.runTasks({
      long: { uses: 'sleep', with: { duration: '4s' } },
      longer: { uses: 'sleep', with: { duration: '1h' } },
      after: { uses: 'noop', needs: ['long', 'longer'] },
    })
    await client.runUntil(id, 'is running', (run) => task(run, 'long')?.status === 'running')
    const asked = Date.now()
    await client.want(200, 'POST', `/api/v1/runs/${id}/cancel`)
    const run = await client.ended(id)
    expect(Date.now() - asked).toBeLessThan(2_000)
    expect(run.status).toBe('cancelled')
    expect(statuses(run)).toMatchObject({ long: 'cancelled', longer: 'cancelled' })
    expect(['cancelled', 'skipped']).toContain(task(run, 'after')?.status)
    expectProblem(await client.call('POST', `/api/v1/runs/${id}/cancel`), 'again', 409)
  })

  test('right after the start is kept, and what never began never begins', async () => {
    target.sink.requests.length = 0
    const { name } = await client.createWorkflow({
      name: uniqueName('early'),
      tasks: {
        wait: { uses: 'sleep', with: { duration: '300ms' } },
        call: { needs: ['wait'], uses: 'http', with: { url: `${target.sink.url}/early` } },
      },
    })
    const { id } = await client.startRun(name)
    await client.want(200, 'POST', `/api/v1/runs/${id}/cancel`)
    expect((await client.ended(id, 3_000)).status).toBe('cancelled')
    expect(target.sink.requests.filter(({ url }) => url === '/early')).toEqual([])
  })

  test('a waiting retry', async () => {
    const { id } = await client.runTasks({
      a: { uses: 'fail', retry: { maxAttempts: 5, delay: '1h', jitter: 'none', backoff: 'fixed' } },
    })
    await client.runUntil(id, 'waits to retry', (run) => task(run, 'a')?.status === 'delayed')
    await client.want(200, 'POST', `/api/v1/runs/${id}/cancel`)
    expect((await client.ended(id, 3_000)).status).toBe('cancelled')
  })
})

describe('failure', () => {
  const quick = { delay: '50ms', jitter: 'none', backoff: 'fixed' }

  test('is retried as often as the policy says, each attempt told', async () => {
    const { id } = await client.runTasks({
      mends: { uses: 'fail', with: { times: 2 }, retry: { maxAttempts: 3, ...quick } },
      never: { uses: 'fail', with: { message: 'no luck' }, retry: { maxAttempts: 3, ...quick }, onFailure: 'continue' },
      final: {
        uses: 'fail',
        with: { class: 'non_retryable' },
        retry: { maxAttempts: 3, ...quick },
        onFailure: 'continue',
      },
      after: { uses: 'noop', needs: ['never'], when: 'all_done' },
    })
    const run = await client.ended(id)
    expect(statuses(run)).toEqual({ mends: 'succeeded', never: 'failed', final: 'failed', after: 'succeeded' })
    expect(task(run, 'mends')).toMatchObject({ attempt: 3, output: { attempt: 3 } })
    expect(task(run, 'never')).toMatchObject({ attempt: 3, error: { message: expect.stringContaining('no luck') } })
    expect(task(run, 'final')).toMatchObject({ attempt: 1, error: { class: 'non_retryable', retryable: false } })
    expect(run.status).toBe('succeeded')
    const attempts = await waitFor(async () => {
      const job = await client.get<{ attempts: { status: string }[] }>(`/api/v1/jobs/${task(run, 'never')?.jobId}`)
      const told = job.attempts.length === 3 && job.attempts.every(({ status }) => status !== 'running')
      return told ? job.attempts : undefined
    })
    expect(attempts.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed'])
  })

  test('stops what is downstream, not what asks for it', async () => {
    const { id } = await client.runTasks({
      breaks: { uses: 'fail', retry: { maxAttempts: 1 } },
      never: { uses: 'noop', needs: ['breaks'] },
      cleanup: { uses: 'noop', needs: ['breaks'], when: 'any_failed' },
      report: {
        uses: 'transform',
        needs: ['breaks'],
        when: 'all_done',
        with: { value: '${{ tasks.breaks.error.class }}' },
      },
    })
    const run = await client.ended(id)
    expect(run).toMatchObject({ status: 'failed', error: { class: expect.any(String) } })
    expect(statuses(run)).toEqual({ breaks: 'failed', never: 'skipped', cleanup: 'succeeded', report: 'succeeded' })
    expect(task(run, 'report')?.output).toBe(task(run, 'breaks')?.error?.class)
  })

  test('of an expression or the network has its class', async () => {
    const { id } = await client.runTasks({
      expression: { uses: 'transform', with: { value: '${{ input.nothing.here }}' }, onFailure: 'continue' },
      guarded: { uses: 'http', with: { url: 'http://169.254.169.254/latest/meta-data' }, onFailure: 'continue' },
      private: { uses: 'http', with: { url: target.url }, onFailure: 'continue', retry: { maxAttempts: 1 } },
      missing: { uses: 'http', with: { url: `${target.sink.url}/missing` }, onFailure: 'continue' },
    })
    target.sink.otherwise(({ url }) => ({ status: url === '/missing' ? 404 : 204 }))
    const run = await client.ended(id)
    expect(task(run, 'expression')).toMatchObject({ status: 'failed', attempt: 1, error: { class: 'expression' } })
    expect(task(run, 'missing')).toMatchObject({ status: 'failed', attempt: 1, error: { class: 'http_4xx' } })
    expect(task(run, 'guarded')).toMatchObject({ status: 'failed', error: { message: expect.any(String) } })
    if (target.standalone) expect(task(run, 'private')).toMatchObject({ status: 'failed' })
    expect(run.status).toBe('succeeded')
  })

  test('by time: of a task, of the whole run', async () => {
    const slow = { uses: 'sleep', with: { duration: '4s' }, timeout: '300ms', retry: { maxAttempts: 2, ...quick } }
    const tasks = await client.ended((await client.runTasks({ slow })).id)
    expect(tasks).toMatchObject({
      status: 'failed',
      tasks: [{ status: 'failed', attempt: 2, error: { class: 'timeout' } }],
    })
    const { name } = await client.createWorkflow({
      name: uniqueName('limit'),
      timeout: '500ms',
      tasks: { a: { uses: 'sleep', with: { duration: '1h' } } },
    })
    const run = await client.ended((await client.startRun(name)).id, 10_000)
    expect(run).toMatchObject({ status: 'failed', reason: 'timeout' })
    expect(Date.parse(run.finishedAt ?? '') - Date.parse(run.createdAt)).toBeLessThan(4_000)
  })
})

describe('the way through', () => {
  test('if and when decide what runs', async () => {
    const { id } = await client.runTasks(
      {
        check: { uses: 'transform', with: { value: { total: '${{ input.total }}' } } },
        big: { uses: 'noop', needs: ['check'], if: '${{ tasks.check.output.total > 100 }}' },
        small: { uses: 'noop', needs: ['check'], if: '${{ tasks.check.output.total <= 100 }}' },
        strict: { uses: 'noop', needs: ['big', 'small'] },
        lenient: { uses: 'noop', needs: ['big', 'small'], when: 'none_failed' },
        any: { uses: 'noop', needs: ['big', 'small'], when: 'any_success' },
        alarm: { uses: 'noop', needs: ['big', 'small'], when: 'any_failed' },
      },
      { input: { total: 7 } },
    )
    const run = await client.ended(id)
    expect(run.status).toBe('succeeded')
    expect(statuses(run)).toEqual({
      check: 'succeeded',
      big: 'skipped',
      small: 'succeeded',
      strict: 'skipped',
      lenient: 'succeeded',
      any: 'succeeded',
      alarm: 'skipped',
    })
  })

  test('a wide and deep graph keeps its order', async () => {
    const tasks: Record<string, object> = {}
    for (let level = 0; level < 5; level++) {
      for (let i = 0; i < 10; i++) {
        const needs = level === 0 ? [] : Array.from({ length: 10 }, (_, j) => `t${level - 1}_${j}`)
        tasks[`t${level}_${i}`] = { uses: 'noop', needs, with: { output: level } }
      }
    }
    const run = await client.ended((await client.runTasks(tasks)).id)
    expect(run.status).toBe('succeeded')
    const at = new Map(run.tasks.map((one) => [one.key, one]))
    for (const one of run.tasks) {
      for (const need of (tasks[one.key] as { needs: string[] }).needs) {
        expect(Date.parse(one.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(at.get(need)?.finishedAt ?? ''))
      }
    }
  })

  test('a long sleep holds no slot: far more of them than a worker has', async () => {
    const naps = Array.from(
      { length: 120 },
      (_, i) => [`nap${i}`, { uses: 'sleep', with: { duration: '6s' } }] as const,
    )
    const { id } = await client.runTasks(Object.fromEntries(naps))
    await client.runUntil(id, 'has begun', (run) => run.status === 'running')
    const { id: quick } = await client.runTasks({ a: { uses: 'noop' } })
    await client.ended(quick)
    expect((await client.run(id)).status, 'the sleepers still sleep').toBe('running')
    expect((await client.ended(id)).status).toBe('succeeded')
  })

  test('what nobody executes waits, and explain says for whom', async () => {
    const { id } = await client.runTasks({ ask: { uses: 'nobody.does-this' }, next: { uses: 'noop', needs: ['ask'] } })
    const explained = await waitFor(async () => {
      const explanation = await client.get<Explanation>(`/api/v1/runs/${id}/explain`)
      // Until the scheduler has the run, explain speaks of its place alone.
      return explanation.tasks[0]?.status === 'queued' ? explanation : undefined
    })
    expect(explained.tasks.find(({ key }) => key === 'ask')?.blockers.map(({ kind }) => kind)).toEqual(['no_worker'])
    expect(explained.tasks.find(({ key }) => key === 'next')?.blockers.map(({ kind }) => kind)).toEqual(['dependency'])
    await client.want(200, 'POST', `/api/v1/runs/${id}/cancel`)
    expect((await client.ended(id)).status).toBe('cancelled')
  })

  test('a watcher who joins late or leaves early disturbs nobody', async () => {
    const { id } = await client.runTasks({ a: { uses: 'sleep', with: { duration: '1s' } } })
    const leaving = new AbortController()
    const gone = await client.open('GET', `/api/v1/runs/${id}/events`, { signal: leaving.signal })
    leaving.abort()
    await gone.body?.cancel().catch(() => undefined)
    const watchers = await Promise.all(Array.from({ length: 5 }, () => client.open('GET', `/api/v1/runs/${id}/events`)))
    for (const events of await Promise.all(watchers.map((watcher) => collect(readEvents(watcher))))) {
      expect(events[0]?.event).toBe('snapshot')
      expect(events.at(-1)?.data).toMatchObject({ status: 'succeeded' })
    }
    const late = await collect(readEvents(await client.open('GET', `/api/v1/runs/${id}/events`)))
    expect(late).toMatchObject([{ event: 'snapshot', data: { status: 'succeeded' } }])
  })
})
