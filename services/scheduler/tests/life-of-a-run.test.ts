import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Harness, projectId, TestWorker } from './support/harness.js'

describe('the life of a run', () => {
  let harness: Harness
  let worker: TestWorker
  beforeAll(async () => {
    harness = await Harness.start()
    worker = await new TestWorker(harness.dispatch(), (lease) => ({ output: { did: lease.key } })).start()
  })
  afterAll(async () => {
    await worker?.stop()
    await harness?.stop()
  })

  test('a chain runs in order, each task once, and gives its output', async () => {
    const versionId = harness.define({
      output: { last: '${{ tasks.c.output.did }}' },
      tasks: {
        a: { uses: 'noop' },
        b: { needs: ['a'], uses: 'transform', with: { value: '${{ tasks.a.output.did }}' } },
        c: { needs: ['b'], uses: 'noop' },
      },
    })
    const runId = await harness.one(versionId, { n: 1 })
    const { run, tasks } = await harness.ended(runId)
    expect(run).toMatchObject({ status: 'succeeded', outputJson: '{"last":"c"}', workflow: 'test', generation: 1 })
    expect(tasks.map((task) => [task.key, task.status, task.attempt])).toEqual([
      ['a', 'succeeded', 1],
      ['b', 'succeeded', 1],
      ['c', 'succeeded', 1],
    ])
    const mine = worker.executed.filter((lease) => lease.runId === runId)
    expect(mine.map((lease) => lease.key)).toEqual(['a', 'b', 'c'])
    expect(mine[1]?.inputJson).toBe('{"value":"a"}')
    expect(new Set(mine.map((lease) => lease.idempotencyKey)).size).toBe(3)
    const times = tasks.flatMap((task) => [task.startedAt, task.finishedAt])
    expect([...times].sort()).toEqual(times)
  })

  test('the events of a run tell the same story as its rows, in sequence', async () => {
    const runId = await harness.one(
      harness.define({ tasks: { a: { uses: 'noop' }, b: { needs: ['a'], uses: 'noop' } } }),
    )
    const { run, tasks } = await harness.ended(runId)
    const updates = await harness.events('workflow.updated', runId)
    expect(updates.map((event) => event.status)).toEqual(['running', 'succeeded'])
    expect(updates.at(-1)?.sequence).toBe(run?.rev)
    const completed = await harness.events('workflow.completed', runId)
    expect(completed).toHaveLength(1)
    expect(completed[0]).toMatchObject({ status: 'succeeded', labels: { team: 'mill' }, projectId })
    expect(completed[0]).toMatchObject({ requestedBy: 'user:test' })
    expect(completed[0]?.finishedAt).toBe(run?.finishedAt)
    expect(completed[0]?.startedAt).toBe(run?.startedAt)
    const taskEvents = await harness.events('task.updated', runId)
    for (const task of tasks) {
      const own = taskEvents.filter((event) => event.taskId === task.id)
      expect(own.at(-1)).toMatchObject({ status: 'succeeded', sequence: task.rev })
      expect(own.map((event) => event.sequence)).toEqual([...own.map((event) => event.sequence)].sort((x, y) => x - y))
    }
    expect(await harness.events('task.completed', runId)).toHaveLength(2)
  })

  test('redelivery of a request changes nothing', async () => {
    const versionId = harness.define({ tasks: { a: { uses: 'noop' } } })
    const runId = await harness.one(versionId)
    await harness.ended(runId)
    await harness.request(versionId, 1, undefined, [runId])
    const after = await harness.one(versionId)
    await harness.ended(after)
    expect(worker.executed.filter((lease) => lease.runId === runId)).toHaveLength(1)
    expect(await harness.events('workflow.completed', runId)).toHaveLength(1)
  })

  test('a wide run fans out and joins', async () => {
    const tasks: Record<string, object> = { first: { uses: 'noop' } }
    const width = 300
    for (let i = 0; i < width; i += 1) tasks[`t${i}`] = { needs: ['first'], uses: 'noop' }
    tasks.join = { needs: Array.from({ length: width }, (_, i) => `t${i}`), uses: 'noop' }
    const runId = await harness.one(harness.define({ tasks }))
    const ended = await harness.ended(runId)
    expect(ended.run?.status).toBe('succeeded')
    const mine = worker.executed.filter((lease) => lease.runId === runId)
    expect(mine).toHaveLength(width + 2)
    expect(mine.at(-1)?.key).toBe('join')
  })

  test('many runs at once all end, each task executed once', async () => {
    const versionId = harness.define({ tasks: { a: { uses: 'noop' }, b: { needs: ['a'], uses: 'noop' } } })
    const ids = await harness.request(versionId, 200)
    for (const id of ids) expect((await harness.ended(id)).run?.status).toBe('succeeded')
    const executed = worker.executed.filter((lease) => ids.includes(lease.runId))
    expect(executed).toHaveLength(400)
    expect(new Set(executed.map((lease) => lease.taskId)).size).toBe(400)
    expect(worker.verdicts.every((verdict) => verdict === 'VERDICT_ACCEPTED')).toBe(true)
  })

  test('a run of another project is not found', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'noop' } } }))
    await harness.ended(runId)
    await expect(harness.internal().getRun({ runId, projectId: runId })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('nothing is left behind by runs that ended', async () => {
    for (const table of ['task_queue', 'timers', 'run_inbox']) {
      const { rows } = await harness.pool.query(`select count(*)::int as left from ${table}`)
      expect([table, rows[0].left]).toEqual([table, 0])
    }
  })
})
