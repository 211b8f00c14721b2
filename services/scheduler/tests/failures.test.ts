import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Harness, projectId, type Result, resultOf, TestWorker } from './support/harness.js'

const quick = { delay: '20ms', jitter: 'none', backoff: 'fixed' }

describe('failures', () => {
  let harness: Harness
  let worker: TestWorker
  beforeAll(async () => {
    harness = await Harness.start()
    worker = await new TestWorker(harness.dispatch(), behave).start()
  })
  afterAll(async () => {
    await worker?.stop()
    await harness?.stop()
  })

  /** `fail: {times, class}` as the built-in does. */
  function behave(lease: { uses: string; attempt: number; inputJson: string }): Result {
    if (lease.uses !== 'fail') return { output: 'fine' }
    const input = JSON.parse(lease.inputJson) ?? {}
    if (lease.attempt > (input.times ?? 1e9)) return { output: { attempt: lease.attempt } }
    return { error: { class: input.class ?? 'user', message: 'as asked' } }
  }
  const statuses = (tasks: { key: string; status: string }[]) =>
    Object.fromEntries(tasks.map((task) => [task.key, task.status]))

  test('a failing attempt is tried again until it succeeds', async () => {
    const runId = await harness.one(
      harness.define({ tasks: { a: { uses: 'fail', with: { times: 2 }, retry: { maxAttempts: 3, ...quick } } } }),
    )
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('succeeded')
    expect(tasks[0]).toMatchObject({ attempt: 3, status: 'succeeded', outputJson: '{"attempt":3}', error: null })
    const own = (await harness.events('task.updated', runId)).map((event) => event.status)
    expect(own.filter((status) => status === 'delayed')).toHaveLength(2)
  })

  test.each([
    ['a task', { uses: 'peer.a' }, 4_000, 4_000],
    ['a map item', { uses: 'map', with: { items: [1], task: { uses: 'peer.b' } } }, 90_000, 8_000],
  ])('%s waits as long as its peer asked, up to maxDelay', async (_what, task, retryAfterMs, expectedMs) => {
    const retry = { ...quick, maxAttempts: 3, maxDelay: '8s' }
    const definition =
      'with' in task ? { ...task, with: { ...task.with, task: { uses: 'peer.b', retry } } } : { ...task, retry }
    const client = harness.dispatch()
    const request = { name: 'hand', executors: ['peer.a', 'peer.b'], queues: [], concurrency: 1 }
    const { sessionId: id, sessionSecret: secret } = await client.register(request)
    const runId = await harness.one(harness.define({ tasks: { a: definition } }))
    const session = { id, secret }
    const lease = await waitFor(async () => (await client.leaseTasks({ session, max: 1, waitMs: 1000 })).leases[0])
    const failed = { ...resultOf(lease, { error: { class: 'http_4xx', retryable: true } }), retryAfterMs }
    expect((await client.reportResults({ session, results: [failed] })).verdicts).toEqual(['VERDICT_ACCEPTED'])
    const due = `select extract(epoch from t.due_at - clock_timestamp()) * 1000 as ms from timers t
      where run_id = $1 and kind = 'retry'`
    const { ms } = await waitFor(async () => (await harness.pool.query<{ ms: string }>(due, [runId])).rows[0])
    expect(Number(ms)).toBeGreaterThan(expectedMs - 3_000)
    expect(Number(ms)).toBeLessThanOrEqual(expectedMs)
    await client.deregister({ session })
  })

  test('a task that used up its attempts fails the run, and the rest is skipped', async () => {
    const runId = await harness.one(
      harness.define({
        tasks: {
          a: { uses: 'fail', retry: { maxAttempts: 2, ...quick } },
          b: { needs: ['a'], uses: 'noop' },
          c: { needs: ['b'], uses: 'noop' },
          cleanup: { needs: ['c'], when: 'all_done', uses: 'noop' },
          alarm: { needs: ['a'], when: 'any_failed', uses: 'noop' },
        },
      }),
    )
    const { run, tasks } = await harness.ended(runId)
    expect(run).toMatchObject({
      status: 'failed',
      reason: 'task_failed',
      error: { class: 'user', message: 'as asked' },
    })
    expect(statuses(tasks)).toEqual({
      a: 'failed',
      b: 'skipped',
      c: 'skipped',
      cleanup: 'succeeded',
      alarm: 'succeeded',
    })
    expect(tasks[0]?.attempt).toBe(2)
    expect(await harness.events('task.dead-lettered', runId)).toMatchObject([
      { key: 'a', attempt: 2, labels: { team: 'mill' } },
    ])
    expect(await harness.events('workflow.completed', runId)).toHaveLength(1)
  })

  test('onFailure: continue lets the run succeed', async () => {
    const runId = await harness.one(
      harness.define({
        tasks: {
          a: { uses: 'fail', retry: { maxAttempts: 1 }, onFailure: 'continue' },
          b: { needs: ['a'], when: 'all_done', uses: 'noop' },
          c: { needs: ['a'], uses: 'noop' },
        },
      }),
    )
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('succeeded')
    expect(statuses(tasks)).toEqual({ a: 'failed', b: 'succeeded', c: 'skipped' })
    expect(await harness.events('task.dead-lettered', runId)).toHaveLength(1)
  })

  test('a class that is not retried fails at once', async () => {
    const runId = await harness.one(
      harness.define({ tasks: { a: { uses: 'fail', with: { class: 'non_retryable' }, retry: { maxAttempts: 5 } } } }),
    )
    expect((await harness.ended(runId)).tasks[0]).toMatchObject({ attempt: 1, status: 'failed' })
  })

  test('a wrong expression fails the task without a lease', async () => {
    const runId = await harness.one(
      harness.define({
        tasks: { a: { uses: 'noop' }, b: { needs: ['a'], uses: 'transform', with: { value: '${{ input.n / 0 }}' } } },
      }),
      { n: 1 },
    )
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('failed')
    expect(tasks[1]).toMatchObject({ status: 'failed', error: { class: 'expression' }, attempt: 1, workerId: '' })
    expect(worker.executed.filter((lease) => lease.runId === runId).map((lease) => lease.key)).toEqual(['a'])
  })

  test('a wrong expression in the first task ends the run when it is created', async () => {
    const runId = await harness.one(
      harness.define({
        tasks: { a: { uses: 'transform', with: { value: '${{ input.n / 0 }}' } }, b: { needs: ['a'], uses: 'noop' } },
      }),
      { n: 1 },
    )
    const { run, tasks } = await harness.ended(runId)
    expect(run).toMatchObject({ status: 'failed', error: { class: 'expression' } })
    expect(statuses(tasks)).toEqual({ a: 'failed', b: 'skipped' })
    expect(await harness.events('workflow.completed', runId)).toHaveLength(1)
  })

  test('a condition that does not hold skips the task', async () => {
    const runId = await harness.one(
      harness.define({
        tasks: {
          a: { uses: 'noop', if: '${{ input.go }}' },
          b: { needs: ['a'], uses: 'noop' },
          c: { needs: ['a'], when: 'none_failed', uses: 'noop' },
        },
      }),
      { go: false },
    )
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('succeeded')
    expect(statuses(tasks)).toEqual({ a: 'skipped', b: 'skipped', c: 'succeeded' })
  })

  test('an output that is not JSON fails its task alone', async () => {
    const versionId = harness.define({ tasks: { a: { uses: 'custom.fn', retry: { maxAttempts: 1 } } } })
    const client = harness.dispatch()
    await worker.stop()
    try {
      const other = await client.register({ name: 'odd', executors: ['custom.fn'], queues: [], concurrency: 2 })
      const session = { id: other.sessionId, secret: other.sessionSecret }
      const ids = await harness.request(versionId, 2)
      const leases = await waitFor(async () => {
        const reply = await client.leaseTasks({ session, max: 2, waitMs: 2000 })
        if (reply.leases.length === 0) throw new Error('nothing leased')
        return reply.leases
      })
      const more = leases.length < 2 ? (await client.leaseTasks({ session, max: 1, waitMs: 5000 })).leases : []
      const results = [...leases, ...more].map(({ taskId, runId, token, leaseId }, i) => ({
        taskId,
        runId,
        token,
        leaseId,
        outcome: 'OUTCOME_SUCCEEDED' as const,
        outputJson: i === 0 ? '{"broken":' : '{"text":"\\u0000 \\ud800"}',
      }))
      await client.reportResults({ session, results })
      const ended = await Promise.all(ids.map((id) => harness.ended(id)))
      const bad = ended.find((run) => run.run?.id === results[0]?.runId)
      const good = ended.find((run) => run.run?.id === results[1]?.runId)
      expect(bad?.tasks[0]).toMatchObject({ status: 'failed', error: { class: 'validation' } })
      expect(good?.tasks[0]).toMatchObject({ status: 'succeeded', outputJson: '{"text":"\\u0000 \\ud800"}' })
    } finally {
      worker = await new TestWorker(harness.dispatch(), behave).start()
    }
  })

  test('explain names what a task waits for', async () => {
    const runId = await harness.one(
      harness.define({
        tasks: {
          odd: { uses: 'nobody.has-this' },
          after: { needs: ['odd'], uses: 'noop' },
          retrying: { uses: 'fail', retry: { maxAttempts: 2, delay: '1h', jitter: 'none' } },
        },
      }),
    )
    const explained = await waitFor(async () => {
      const answer = await harness.internal().explainRun({ runId, projectId })
      if (answer.tasks[2]?.status !== 'delayed') throw new Error('not yet delayed')
      return answer
    })
    const kinds = Object.fromEntries(explained.tasks.map((task) => [task.key, task.blockers.map((b) => b.kind)]))
    expect(kinds).toEqual({ odd: ['no_worker'], after: ['dependency'], retrying: ['timer'] })
    await harness.internal().cancelRun({ runId, projectId })
  })

  test('a run over its timeout fails with that reason', async () => {
    const runId = await harness.one(harness.define({ timeout: '300ms', tasks: { a: { uses: 'nobody.has-this' } } }))
    const { run, tasks } = await harness.ended(runId)
    expect(run).toMatchObject({ status: 'failed', reason: 'timeout', error: { class: 'timeout' } })
    expect(tasks[0]?.status).toBe('cancelled')
  })

  test('a dead letter is not used up while its run is being cancelled', async () => {
    const slow = await new TestWorker(harness.dispatch(), () => new Promise(() => {})).start(['never.ends'])
    const runId = await harness.one(
      harness.define({
        tasks: {
          bad: { uses: 'fail', onFailure: 'continue', retry: { maxAttempts: 1 } },
          long: { uses: 'never.ends' },
        },
      }),
    )
    const deadLetters = async () =>
      (await harness.internal().listDeadLetters({ projectId, runId, limit: 9 })).deadLetters
    const [deadLetter] = await waitFor(async () => {
      const { tasks } = await harness.run(runId)
      const found = await deadLetters()
      return found.length > 0 && tasks[1]?.status === 'running' ? found : undefined
    })
    expect((await harness.internal().cancelRun({ runId, projectId })).run?.status).toBe('cancelling')
    // The holder never answers, so the run stays so until its grace is over.
    await expect(harness.internal().retryDeadLetter({ id: deadLetter?.id ?? '', projectId })).rejects.toMatchObject({
      reason: 'run_cancelling',
    })
    await harness.ended(runId)
    expect((await deadLetters())[0]?.state).toBe('open')
    void slow.stop()
  })
})
