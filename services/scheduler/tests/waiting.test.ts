import { waitFor } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Harness, projectId, TestWorker } from './support/harness.js'

describe('tasks that wait', () => {
  let harness: Harness
  let worker: TestWorker
  beforeAll(async () => {
    harness = await Harness.start()
    worker = await new TestWorker(harness.dispatch(), (lease) => ({ output: JSON.parse(lease.inputJson) })).start()
  })
  afterAll(async () => {
    await worker?.stop()
    await harness?.stop()
  })

  const waiting = (runId: string, index = 0) =>
    waitFor(async () => (await harness.run(runId)).tasks[index]?.status === 'waiting')
  const decide = (runId: string, approve: boolean, role = 'operator') =>
    harness.internal().decideApproval({ runId, projectId, key: 'ask', approve, by: 'user:ada', comment: 'fine', role })

  test('an approval waits without a worker, is announced, and its decision is the output', async () => {
    const runId = await harness.one(
      harness.define({
        tasks: {
          ask: { uses: 'approval', with: { role: 'editor', message: '${{ "ship " + input.what }}' } },
          go: { needs: ['ask'], uses: 'noop', with: { output: '${{ tasks.ask.output.by }}' } },
        },
      }),
      { what: 'it' },
    )
    await waiting(runId)
    expect(await harness.events('approval.requested', runId)).toMatchObject([
      { key: 'ask', role: 'editor', message: 'ship it' },
    ])
    const explained = await harness.internal().explainRun({ runId, projectId })
    expect(explained.tasks[0]?.blockers[0]?.kind).toBe('approval')
    await expect(decide(runId, true, 'operator')).rejects.toMatchObject({ code: 'permission_denied' })
    await decide(runId, true, 'editor')
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('succeeded')
    expect(JSON.parse(tasks[0]?.outputJson ?? '')).toMatchObject({
      decision: 'approved',
      by: 'user:ada',
      comment: 'fine',
    })
    expect(worker.executed.filter((lease) => lease.runId === runId).map((lease) => lease.key)).toEqual(['go'])
    await expect(decide(runId, true, 'editor')).rejects.toMatchObject({ reason: 'not_waiting' })
  })

  test('a rejection fails the task with that class and leaves no dead letter', async () => {
    const runId = await harness.one(harness.define({ tasks: { ask: { uses: 'approval' } } }))
    await waiting(runId)
    await decide(runId, false)
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('failed')
    expect(tasks[0]).toMatchObject({ status: 'failed', error: { class: 'rejected' } })
    expect((await harness.internal().listDeadLetters({ projectId, runId, limit: 9 })).deadLetters).toEqual([])
  })

  test('an approval nobody gives in time fails with class timeout', async () => {
    const runId = await harness.one(harness.define({ tasks: { ask: { uses: 'approval', timeout: '200ms' } } }))
    expect((await harness.ended(runId)).tasks[0]).toMatchObject({ status: 'failed', error: { class: 'timeout' } })
  })

  test('a signal reaches the task that waits for it', async () => {
    const runId = await harness.one(
      harness.define({
        output: { got: '${{ tasks.paid.output.amount }}' },
        tasks: { paid: { uses: 'signal', with: { name: 'paid' } } },
      }),
    )
    await waiting(runId)
    await harness.internal().sendSignal({ runId, projectId, name: 'other', payloadJson: '1' })
    expect((await harness.run(runId)).tasks[0]?.status).toBe('waiting')
    await harness.internal().sendSignal({ runId, projectId, name: 'paid', payloadJson: '{"amount":5}' })
    expect((await harness.ended(runId)).run).toMatchObject({ status: 'succeeded', outputJson: '{"got":5}' })
  })

  test('a signal that comes early is kept, even before its run arrives', async () => {
    const versionId = harness.define({
      tasks: { first: { uses: 'noop' }, paid: { needs: ['first'], uses: 'signal', with: { name: 'paid' } } },
    })
    const runId = v7()
    expect((await harness.internal().sendSignal({ runId, projectId, name: 'paid', payloadJson: '7' })).run).toBeNull()
    await harness.request(versionId, 1, undefined, [runId])
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('succeeded')
    expect(tasks[1]?.outputJson).toBe('7')
  })

  test('the same signal twice, with a key, is taken once', async () => {
    const versionId = harness.define({
      tasks: { a: { uses: 'signal', with: { name: 'go' } }, b: { needs: ['a'], uses: 'signal', with: { name: 'go' } } },
    })
    const runId = v7()
    const send = (dedupeKey: string) =>
      harness.internal().sendSignal({ runId, projectId, name: 'go', payloadJson: `"${dedupeKey}"`, dedupeKey })
    await send('x')
    await send('x')
    await harness.request(versionId, 1, undefined, [runId])
    await waiting(runId, 1)
    await send('y')
    expect((await harness.ended(runId)).tasks.map((task) => task.outputJson)).toEqual(['"x"', '"y"'])
  })

  test('a long sleep holds no worker', async () => {
    const runId = await harness.one(harness.define({ tasks: { nap: { uses: 'sleep', with: { duration: '6s' } } } }))
    await waiting(runId)
    expect(worker.held.size).toBe(0)
    const { rows } = await harness.pool.query('select kind from timers where run_id = $1', [runId])
    expect(rows).toEqual([{ kind: 'wake' }])
    await harness.pool.query('update timers set due_at = clock_timestamp() where run_id = $1', [runId])
    expect((await harness.ended(runId)).tasks[0]).toMatchObject({ status: 'succeeded', outputJson: '{"sleptMs":6000}' })
  })

  test('a task that no worker takes in time fails', async () => {
    const runId = await harness.one(
      harness.define({ tasks: { a: { uses: 'nobody.has-this', queueTimeout: '200ms' } } }),
    )
    const { tasks } = await harness.ended(runId)
    expect(tasks[0]).toMatchObject({ status: 'failed', error: { class: 'timeout', code: 'queue_timeout' } })
  })

  test('all attempts together are bounded', async () => {
    const failing = await new TestWorker(harness.dispatch(), () => ({ error: { class: 'user' } })).start([
      'always.fails',
    ])
    const runId = await harness.one(
      harness.define({
        tasks: {
          a: {
            uses: 'always.fails',
            totalTimeout: '400ms',
            retry: { maxAttempts: 100, delay: '50ms', backoff: 'fixed' },
          },
        },
      }),
    )
    const { tasks } = await harness.ended(runId)
    expect(tasks[0]).toMatchObject({ status: 'failed', error: { class: 'timeout', code: 'total_timeout' } })
    await failing.stop()
  })

  test('a waiting task is cancelled with its run', async () => {
    const runId = await harness.one(harness.define({ tasks: { ask: { uses: 'approval' } } }))
    await waiting(runId)
    expect((await harness.internal().cancelRun({ runId, projectId })).run?.status).toBe('cancelled')
  })

  test('nothing is left behind', async () => {
    for (const table of ['task_queue', 'timers', 'run_inbox']) {
      const { rows } = await harness.pool.query(`select count(*)::int as left from ${table}`)
      expect([table, rows[0].left]).toEqual([table, 0])
    }
  })
})
