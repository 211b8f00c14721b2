import { waitFor } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Harness, projectId, type Result, TestWorker } from './support/harness.js'

describe('run control', () => {
  let harness: Harness
  let worker: TestWorker
  const broken = new Set<string>()
  beforeAll(async () => {
    harness = await Harness.start()
    worker = await new TestWorker(harness.dispatch(), behave).start()
  })
  afterAll(async () => {
    await worker?.stop()
    await harness?.stop()
  })

  function behave(lease: { key: string; runId: string; inputJson: string }): Result {
    if (broken.has(lease.key)) return { error: { class: 'non_retryable', message: `${lease.key} is broken` } }
    return { output: JSON.parse(lease.inputJson) }
  }
  const statusOf = async (runId: string) => (await harness.run(runId)).run?.status
  const executions = (runId: string, key: string) =>
    worker.executed.filter((lease) => lease.runId === runId && lease.key === key)

  test('a run on hold does nothing until it is resumed', async () => {
    const [runId = ''] = await harness.request(
      harness.define({ timeout: '1h', tasks: { a: { uses: 'noop' } } }),
      1,
      undefined,
      [v7()],
      { hold: true },
    )
    await waitFor(async () => (await statusOf(runId)) === 'paused')
    const held = await harness.run(runId)
    expect(held.run?.startedAt).toBe('')
    expect(held.tasks[0]?.status).toBe('pending')
    await harness.internal().resumeRun({ runId, projectId })
    const { run } = await harness.ended(runId)
    expect(run?.status).toBe('succeeded')
    expect(run?.startedAt).not.toBe('')
  })

  test('a delayed run starts at its time, not before', async () => {
    const startAt = new Date(Date.now() + 1000).toISOString()
    const [runId = ''] = await harness.request(
      harness.define({ tasks: { a: { uses: 'noop' } } }),
      1,
      undefined,
      [v7()],
      {
        startAt,
      },
    )
    await waitFor(async () => (await statusOf(runId)) === 'queued')
    const { run } = await harness.ended(runId)
    expect(run?.startedAt ?? '' > startAt).toBeTruthy()
    expect(Date.parse(run?.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(startAt) - 50)
  })

  test('a delayed run can be cancelled before its time', async () => {
    const startAt = new Date(Date.now() + 3_600_000).toISOString()
    const [runId = ''] = await harness.request(
      harness.define({ tasks: { a: { uses: 'noop' } } }),
      1,
      undefined,
      [v7()],
      {
        startAt,
      },
    )
    await waitFor(() => harness.run(runId))
    expect((await harness.internal().cancelRun({ runId, projectId })).run?.status).toBe('cancelled')
  })

  test('a paused run gets no new leases, and goes on when it is resumed', async () => {
    const runId = await harness.one(
      harness.define({ tasks: { a: { uses: 'late.fn' }, b: { needs: ['a'], uses: 'noop' } } }),
    )
    await waitFor(() => harness.run(runId))
    expect((await harness.internal().pauseRun({ runId, projectId })).run?.status).toBe('paused')
    const explained = await harness.internal().explainRun({ runId, projectId })
    expect(explained.blockers.map(({ kind }) => kind)).toEqual(['run_paused'])
    expect(explained.tasks[0]?.blockers.map(({ kind }) => kind)).toEqual(['run_paused'])
    const late = await new TestWorker(harness.dispatch(), behave).start(['late.fn'])
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(late.executed).toHaveLength(0)
    expect((await harness.run(runId)).tasks.map((task) => task.status)).toEqual(['queued', 'pending'])
    await harness.internal().resumeRun({ runId, projectId })
    expect((await harness.ended(runId)).run?.status).toBe('succeeded')
    expect(late.executed).toHaveLength(1)
    await late.stop()
    await expect(harness.internal().pauseRun({ runId, projectId })).rejects.toMatchObject({ reason: 'run_ended' })
  })

  test('a run whose last task ends while it is paused ends', async () => {
    let finish = () => {}
    const blocked = new Promise<void>((resolve) => {
      finish = resolve
    })
    const slow = await new TestWorker(harness.dispatch(), async () => {
      await blocked
      return {}
    }).start(['slow.fn'])
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'slow.fn' } } }))
    await waitFor(async () => (await harness.run(runId)).tasks[0]?.status === 'running')
    await harness.internal().pauseRun({ runId, projectId })
    finish()
    expect((await harness.ended(runId)).run?.status).toBe('succeeded')
    await slow.stop()
  })

  test('retry runs what failed again, and what it held back, in the same run', async () => {
    const runId = await harness.one(
      harness.define({
        tasks: {
          ok: { uses: 'noop' },
          shaky: { needs: ['ok'], uses: 'noop' },
          last: { needs: ['shaky'], uses: 'noop' },
        },
      }),
    )
    broken.add('shaky')
    const failed = await harness.ended(runId)
    expect(failed.tasks.map((task) => task.status)).toEqual(['succeeded', 'failed', 'skipped'])
    broken.delete('shaky')
    const { run } = await harness.internal().retryRun({ runId, projectId })
    expect(run).toMatchObject({ status: 'running', generation: 2, finishedAt: '', error: null })
    const ended = await harness.ended(runId)
    expect(ended.run?.status).toBe('succeeded')
    expect(ended.tasks.map((task) => [task.status, task.attempt])).toEqual([
      ['succeeded', 1],
      ['succeeded', 2],
      ['succeeded', 1],
    ])
    expect(executions(runId, 'ok')).toHaveLength(1)
    const keys = executions(runId, 'shaky').map((lease) => lease.idempotencyKey)
    expect(new Set(keys).size).toBe(2)
    const completed = await harness.events('workflow.completed', runId)
    expect(completed.map((event) => [event.generation, event.status])).toEqual([
      [1, 'failed'],
      [2, 'succeeded'],
    ])
    await expect(harness.internal().retryRun({ runId, projectId })).rejects.toMatchObject({ reason: 'run_not_failed' })
  })

  test('a retry that names a generation may be repeated: the run is retried once, though it failed again', async () => {
    const runId = await harness.one(harness.define({ tasks: { shaky: { uses: 'noop' } } }))
    broken.add('shaky')
    await harness.ended(runId)
    const retry = () => harness.internal().retryRun({ runId, projectId, generation: 1 })
    const answers = await Promise.allSettled([retry(), retry(), retry()])
    expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true)
    await waitFor(async () => {
      const { run } = await harness.run(runId)
      return run?.generation === 2 && run.status === 'failed'
    })
    await expect(retry()).rejects.toMatchObject({ code: 'conflict', reason: 'run_retried' })
    expect(executions(runId, 'shaky')).toHaveLength(2)
    broken.delete('shaky')
  })

  test('a dead letter shows every attempt and its input, and its retry continues the run with another input', async () => {
    const runId = await harness.one(
      harness.define({
        tasks: {
          dead: {
            uses: 'fail-twice.fn',
            with: { value: '${{ input.n }}' },
            retry: { maxAttempts: 2, delay: '10ms', jitter: 'none' },
          },
          after: { needs: ['dead'], uses: 'noop', with: { output: '${{ tasks.dead.output.value }}' } },
        },
      }),
      { n: 7 },
    )
    let works = false
    const other = await new TestWorker(harness.dispatch(), (lease) =>
      works ? { output: JSON.parse(lease.inputJson) } : { error: { class: 'user', message: `no ${lease.attempt}` } },
    ).start(['fail-twice.fn'])
    await harness.ended(runId)
    const { deadLetters } = await harness.internal().listDeadLetters({ projectId, runId, limit: 50 })
    expect(deadLetters).toHaveLength(1)
    const deadLetter = deadLetters[0]
    expect(deadLetter).toMatchObject({ taskKey: 'dead', state: 'open', inputJson: '{"value":7}', workflow: 'test' })
    expect(deadLetter?.error).toMatchObject({ class: 'user', message: 'no 2' })
    expect(deadLetter?.attempts.map((attempt) => attempt.error?.message)).toEqual(['no 1', 'no 2'])
    works = true
    const id = deadLetter?.id ?? ''
    const retried = await harness.internal().retryDeadLetter({ id, projectId, inputJson: '{"value":8}' })
    expect(retried.deadLetter?.state).toBe('retried')
    const ended = await harness.ended(runId)
    expect(ended.run?.status).toBe('succeeded')
    expect(ended.tasks[0]).toMatchObject({ attempt: 3, maxAttempts: 4, outputJson: '{"value":8}' })
    await expect(harness.internal().retryDeadLetter({ id, projectId })).rejects.toMatchObject({ code: 'conflict' })
    await expect(harness.internal().getDeadLetter({ id, projectId: runId })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect((await harness.internal().listDeadLetters({ projectId, class: 'timeout', limit: 9 })).deadLetters).toEqual(
      [],
    )
    await other.stop()
  })

  test('letters of one run are retried one by one, also while it is open, and of a run that succeeded all the same', async () => {
    const fails = { uses: 'letters.fn', retry: { maxAttempts: 1 } }
    const runId = await harness.one(
      harness.define({
        tasks: {
          one: fails,
          two: fails,
          kept: { ...fails, onFailure: 'continue' },
          after: { needs: ['one', 'two'], uses: 'noop' },
        },
      }),
    )
    let works = false
    const other = await new TestWorker(harness.dispatch(), () =>
      works ? { output: 1 } : { error: { class: 'user', message: 'no' } },
    ).start(['letters.fn'])
    await harness.ended(runId)
    const deadLetters = async () =>
      new Map(
        (await harness.internal().listDeadLetters({ projectId, runId, limit: 50 })).deadLetters.map((l) => [
          l.taskKey,
          l,
        ]),
      )
    const first = await deadLetters()
    expect([...first.keys()].sort()).toEqual(['kept', 'one', 'two'])
    works = true
    const retry = (key: string) => harness.internal().retryDeadLetter({ id: first.get(key)?.id ?? '', projectId })
    await Promise.all([retry('one'), retry('two')])
    const ended = await harness.ended(runId)
    expect(ended.run?.status).toBe('succeeded')
    expect(ended.tasks.map((task) => [task.key, task.status])).toEqual([
      ['one', 'succeeded'],
      ['two', 'succeeded'],
      ['kept', 'failed'],
      ['after', 'succeeded'],
    ])
    await retry('kept')
    const whole = await harness.ended(runId)
    expect([whole.run?.status, whole.tasks[2]?.status]).toEqual(['succeeded', 'succeeded'])
    await other.stop()
  })

  test('nothing is left behind', async () => {
    for (const table of ['task_queue', 'timers', 'run_inbox']) {
      const { rows } = await harness.pool.query(`select count(*)::int as left from ${table}`)
      expect([table, rows[0].left]).toEqual([table, 0])
    }
  })
})
