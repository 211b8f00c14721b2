import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '@millrace/errors'
import { waitFor } from '@millrace/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { CANCEL_GRACE_MS } from '../src/domain/cancel.js'
import { childRunId } from '../src/domain/child-run.js'
import { ChildRunService } from './support/children.js'
import { Harness, projectId, TestWorker } from './support/harness.js'

describe('sub-workflows', () => {
  let harness: Harness
  let worker: TestWorker
  let newRuns: ChildRunService
  beforeAll(async () => {
    harness = await Harness.start()
    newRuns = new ChildRunService(harness)
    worker = await new TestWorker(harness.dispatch(), ({ uses, inputJson }) =>
      uses === 'fail'
        ? { error: { class: JSON.parse(inputJson).class ?? 'user', message: 'broke' } }
        : { output: JSON.parse(inputJson).output },
    ).start(['noop', 'fail'])
    newRuns.define('double', {
      output: { twice: '${{ tasks.x.output }}' },
      tasks: { x: { uses: 'noop', with: { output: '${{ input.n * 2 }}' } } },
    })
    newRuns.define('wait', { tasks: { ask: { uses: 'approval' } } })
  })
  afterEach(() => {
    newRuns.beforeAnswer = async () => {}
    newRuns.beforeCreate = async () => {}
  })
  afterAll(async () => {
    await worker?.stop()
    await harness?.stop()
  })

  const parentOf = (name: string, more: object = {}, others: object = {}) =>
    harness.one(harness.define({ tasks: { sub: { uses: 'workflow', with: { name }, ...more }, ...others } }))
  const childOf = (runId: string, attempt = 1) =>
    waitFor(async () => {
      const task = (await harness.run(runId)).tasks[0]
      if (task?.status !== 'waiting' || task.attempt !== attempt) return undefined
      const id = childRunId(task.id, attempt)
      return task.childRunId === id && (await harness.run(id)).run ? id : undefined
    })
  const callsOf = (runId: string) => newRuns.calls.filter(({ parent }) => parent?.runId === runId)
  const cancel = (runId: string) => harness.internal().cancelRun({ runId, projectId })

  test("a child run's output is the task's, and each shows the other", async () => {
    const runId = await harness.one(
      harness.define({
        tasks: {
          sub: { uses: 'workflow', with: { name: 'double', input: { n: '${{ input.n }}' } } },
          after: { needs: ['sub'], uses: 'noop', with: { output: '${{ tasks.sub.output.twice + 1 }}' } },
        },
      }),
      { n: 4 },
    )
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('succeeded')
    expect(tasks.map((task) => task.outputJson)).toEqual(['{"twice":8}', '9'])
    const child = await harness.run(tasks[0]?.childRunId ?? '')
    expect(child.run).toMatchObject({ status: 'succeeded', parent: { runId, key: 'sub', index: -1, depth: 1 } })
    const [completed] = await harness.events('workflow.completed', child.run?.id ?? '')
    expect(completed).toMatchObject({ parent: { runId, taskId: tasks[0]?.id, key: 'sub', index: -1 } })
    expect(callsOf(runId)).toMatchObject([{ labels: { team: 'mill' }, priority: 5, requestedBy: `run:${runId}` }])
  })

  test('while the child lives the task waits, and explain names the child', async () => {
    const runId = await parentOf('wait')
    const child = await childOf(runId)
    const explained = await harness.internal().explainRun({ runId, projectId })
    expect(explained.tasks[0]?.blockers).toEqual([
      { kind: 'dependency', detail: `waits for the child run ${child}, which is running` },
    ])
    expect(worker.held.size).toBe(0)
    await cancel(runId)
  })

  test("a child's failure fails the task with its class, naming the child; a retry makes another", async () => {
    newRuns.define('broken', { tasks: { x: { uses: 'fail', with: { class: 'user' }, retry: { maxAttempts: 1 } } } })
    const runId = await parentOf('broken', { retry: { maxAttempts: 2, delay: '10ms', jitter: 'none' } })
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('failed')
    const first = childRunId(tasks[0]?.id ?? '', 1)
    const second = childRunId(tasks[0]?.id ?? '', 2)
    expect(tasks[0]).toMatchObject({ status: 'failed', attempt: 2, childRunId: second })
    expect(tasks[0]?.error).toMatchObject({ class: 'user', code: 'child_failed' })
    expect(tasks[0]?.error?.message).toContain(second)
    const { deadLetters } = await harness.internal().listDeadLetters({ projectId, runId, limit: 9 })
    expect(deadLetters[0]?.attempts.map(({ error }) => error?.message.includes(first))).toEqual([true, false])
    await harness.internal().retryRun({ runId, projectId })
    await harness.ended(runId)
    expect(new Set(callsOf(runId).map(({ dedupeKey }) => dedupeKey)).size).toBe(4)
  })

  test('a class that is not retried makes one child only', async () => {
    newRuns.define('invalid', {
      tasks: { x: { uses: 'fail', with: { class: 'validation' }, retry: { maxAttempts: 1 } } },
    })
    const runId = await parentOf('invalid')
    expect((await harness.ended(runId)).tasks[0]).toMatchObject({ attempt: 1, error: { class: 'validation' } })
    expect(callsOf(runId)).toHaveLength(1)
  })

  test('a workflow that is not there fails the task at once', async () => {
    const runId = await parentOf('nowhere')
    const { tasks } = await harness.ended(runId)
    expect(tasks[0]).toMatchObject({ status: 'failed', attempt: 1, childRunId: '' })
    expect(tasks[0]?.error).toMatchObject({ class: 'validation', code: 'workflow_not_found' })
    expect(callsOf(runId)).toHaveLength(1)
  })

  test("a parent's cancel reaches the child", async () => {
    const runId = await parentOf('wait')
    const child = await childOf(runId)
    expect((await cancel(runId)).run?.status).toBe('cancelling')
    expect((await harness.ended(runId)).run?.status).toBe('cancelled')
    expect((await harness.run(child)).run).toMatchObject({ status: 'cancelled', reason: 'parent' })
  })

  test('a cancelled parent ends when its child has undone what it did, and undoes its own after that', async () => {
    const undo = { compensate: { uses: 'hand' } }
    newRuns.define('saga', { tasks: { did: { uses: 'noop', ...undo }, ask: { needs: ['did'], uses: 'approval' } } })
    const runId = await harness.one(
      harness.define({
        tasks: { did: { uses: 'noop', ...undo }, sub: { needs: ['did'], uses: 'workflow', with: { name: 'saga' } } },
      }),
    )
    const child = await waitFor(async () => {
      const id = (await harness.run(runId)).tasks[1]?.childRunId
      return id && (await harness.run(id)).tasks[1]?.status === 'waiting' ? id : undefined
    })
    expect((await cancel(runId)).run?.status).toBe('cancelling')
    await waitFor(async () => (await harness.run(child)).tasks[2]?.status === 'queued')
    await cancel(runId)
    // The time that tasks have to stop is over by then.
    await delay(CANCEL_GRACE_MS + 500)
    const statuses = async (id: string) => (await harness.run(id)).tasks.map(({ status }) => status)
    expect(await statuses(runId)).toEqual(['succeeded', 'waiting', 'pending'])
    const hand = await new TestWorker(harness.dispatch(), () => ({ output: null })).start(['hand'])
    expect((await harness.ended(runId)).run?.status).toBe('cancelled')
    await hand.stop()
    expect(await statuses(runId)).toEqual(['succeeded', 'cancelled', 'succeeded'])
    expect(await statuses(child)).toEqual(['succeeded', 'cancelled', 'succeeded'])
    const endOf = async (id: string) => Date.parse((await harness.run(id)).run?.finishedAt ?? '')
    expect(await endOf(runId)).toBeGreaterThanOrEqual(await endOf(child))
  })

  test('a cancel before the child run exists waits for it', async () => {
    let go = () => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    newRuns.beforeCreate = () => held
    const runId = await parentOf('wait')
    const taskId = await waitFor(async () => {
      if (callsOf(runId).length === 0) return undefined
      return (await harness.run(runId)).tasks[0]?.id
    })
    expect((await cancel(runId)).run?.status).toBe('cancelled')
    go()
    expect((await harness.ended(childRunId(taskId, 1))).run?.status).toBe('cancelled')
  })

  test('a child that a person cancels fails the task with class cancelled, and leaves no dead letter', async () => {
    const runId = await parentOf('wait')
    const child = await childOf(runId)
    await cancel(child)
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('failed')
    expect(tasks[0]?.error).toMatchObject({ class: 'cancelled', code: 'child_cancelled' })
    expect(tasks[0]?.error?.message).toContain(child)
    expect((await harness.internal().listDeadLetters({ projectId, runId, limit: 9 })).deadLetters).toEqual([])
  })

  test('an answer that is lost is asked for again, and there is one child', async () => {
    let losses = 2
    newRuns.beforeAnswer = async () => {
      if (losses-- > 0) throw unavailable('workflow_unavailable', 'gone')
    }
    const runId = await parentOf('double', { with: { name: 'double', input: { n: 1 } } })
    expect((await harness.ended(runId)).run?.status).toBe('succeeded')
    const calls = callsOf(runId)
    expect(new Set(calls.map(({ dedupeKey }) => dedupeKey)).size).toBe(1)
    const { rows } = await harness.pool.query('select id from runs where origin is not null and id = any($1::uuid[])', [
      [...new Set(calls.map((call) => call.runId))],
    ])
    expect(rows).toHaveLength(1)
  })

  test('an attempt that takes too long ends its child, and the next has one of its own', async () => {
    const runId = await parentOf('wait', {
      timeout: '300ms',
      retry: { maxAttempts: 2, delay: '10ms', jitter: 'none' },
    })
    const { tasks } = await harness.ended(runId)
    expect(tasks[0]).toMatchObject({ attempt: 2, error: { class: 'timeout' } })
    for (const attempt of [1, 2]) {
      expect((await harness.ended(childRunId(tasks[0]?.id ?? '', attempt))).run?.status).toBe('cancelled')
    }
  })

  test('a failure that stops the parent ends the child too', async () => {
    const runId = await parentOf('wait', {}, { go: { uses: 'approval' } })
    const child = await childOf(runId)
    await harness.internal().decideApproval({ runId, projectId, key: 'go', approve: false, role: 'operator' })
    const { run, tasks } = await harness.ended(runId)
    expect([run?.status, tasks[0]?.status]).toEqual(['failed', 'skipped'])
    expect((await harness.ended(child)).run?.status).toBe('cancelled')
  })

  test('sub-workflows nest eight deep and no deeper', async () => {
    const versionId = newRuns.define('again', { tasks: { sub: { uses: 'workflow', with: { name: 'again' } } } })
    const root = await harness.one(versionId)
    expect((await harness.ended(root)).run?.status).toBe('failed')
    const depths = newRuns.calls
      .filter(({ workflow }) => workflow === 'again')
      .map(({ parent }) => parent?.depth)
      .sort()
    expect(depths).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    const { tasks } = await harness.run(root)
    expect(tasks[0]?.error).toMatchObject({ class: 'validation' })
    expect(tasks[0]?.error?.message).toContain('8 deep')
  })

  test('a paused parent makes no child until it is resumed', async () => {
    const runId = await harness.one(
      harness.define({
        tasks: {
          go: { uses: 'approval' },
          sub: { needs: ['go'], uses: 'workflow', with: { name: 'double', input: { n: 1 } } },
        },
      }),
    )
    await waitFor(async () => (await harness.run(runId)).tasks[0]?.status === 'waiting')
    await harness.internal().pauseRun({ runId, projectId })
    await harness.internal().decideApproval({ runId, projectId, key: 'go', approve: true, role: 'operator' })
    await waitFor(async () => {
      const { rows } = await harness.pool.query('select 1 from timers where run_id = $1', [runId])
      return (await harness.run(runId)).tasks[1]?.status === 'waiting' && rows.length === 0
    })
    expect(callsOf(runId)).toEqual([])
    await harness.internal().resumeRun({ runId, projectId })
    expect((await harness.ended(runId)).run?.status).toBe('succeeded')
  })

  test('nothing is left behind', async () => {
    await waitFor(async () => {
      for (const table of ['task_queue', 'timers', 'run_inbox']) {
        const { rows } = await harness.pool.query(`select count(*)::int as left from ${table}`)
        if (rows[0].left > 0) return false
      }
      return true
    })
  })
})
