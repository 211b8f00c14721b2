import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Harness, projectId, type Result, resultOf, TestWorker } from './support/harness.js'

const each = (task: object, more: object = {}) => ({
  uses: 'map',
  with: { items: '${{ input.items }}', task, ...more },
})
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

describe('maps', () => {
  let harness: Harness
  const workers: TestWorker[] = []
  beforeAll(async () => {
    harness = await Harness.start({ reconcileMs: 500 }, 20_000)
  })
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()))
    await harness?.stop()
  })

  /** A worker for one executor, so that tests do not take each other's children. */
  async function worker(uses: string, work: ConstructorParameters<typeof TestWorker>[1], slots = 20) {
    const made = await new TestWorker(harness.dispatch(), work, slots).start([uses])
    workers.push(made)
    return made
  }

  const children = async (runId: string, key = 'm') => {
    const { rows } = await harness.pool.query(
      'select idx, status, attempt, error from tasks where run_id = $1 and key = $2 and idx >= 0 order by idx',
      [runId, key],
    )
    return rows as { idx: number; status: string; attempt: number; error: { code: string } | null }[]
  }

  const itemOf = (lease: { inputJson: string }) => (JSON.parse(lease.inputJson) as { value: number }).value
  const leftOvers = async (runId: string) => {
    const { rows } = await harness.pool.query(
      `select (select count(*) from task_queue where run_id = $1)::int as queue,
        (select count(*) from timers where run_id = $1)::int as timers,
        (select count(*) from run_inbox where run_id = $1)::int as inbox,
        (select coalesce(sum(open), 0) from map_groups where run_id = $1)::int as open,
        (select count(*) from map_groups where run_id = $1 and closed_at is null)::int as live`,
      [runId],
    )
    return rows[0]
  }
  const nothing = { queue: 0, timers: 0, inbox: 0, open: 0, live: 0 }

  test('a thousand items: one child each, joined in order, every event told once', async () => {
    const value = { value: '${{ item * 2 + index }}', key: '${{ task.idempotencyKey }}' }
    const versionId = harness.define({
      output: { sum: '${{ tasks.m.output.map(x, x.n)[999] }}' },
      tasks: {
        m: each({ uses: 'map.thousand', with: value }),
        after: { needs: ['m'], uses: 'map.thousand', with: { value: '${{ size(tasks.m.output) }}' } },
      },
    })
    const hand = await worker('map.thousand', (lease) => ({ output: { n: itemOf(lease) } }), 50)
    const runId = await harness.one(versionId, { items: numbers(1000) })
    const { run, tasks } = await harness.ended(runId, 80_000)
    expect(run).toMatchObject({ status: 'succeeded', outputJson: JSON.stringify({ sum: 999 * 3 }) })
    const parent = tasks.find((task) => task.key === 'm' && task._index === undefined)
    expect(JSON.parse(parent?.outputJson ?? '')).toEqual(numbers(1000).map((n) => ({ n: n * 3 })))
    expect(tasks.filter((task) => task._index !== undefined)).toHaveLength(200)
    expect(new Set(hand.executed.map((lease) => lease.idempotencyKey)).size).toBe(1001)
    expect(hand.executed.filter((lease) => lease._index !== undefined)).toHaveLength(1000)
    const events = (await harness.events('task.updated', runId)).filter(({ index }) => index >= 0)
    const told = new Map<string, { status: string; sequence: number }[]>()
    for (const { taskId, status, sequence } of events)
      told.set(taskId, [...(told.get(taskId) ?? []), { status, sequence }])
    expect(told.size).toBe(1000)
    for (const history of told.values()) {
      expect(history.map(({ status }) => status)).toEqual(['queued', 'running', 'succeeded'])
      expect(history.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    }
    expect((await harness.events('task.completed', runId)).length).toBe(1001)
    expect(await leftOvers(runId)).toEqual(nothing)
  }, 90_000)

  test('no items: an empty list', async () => {
    const runId = await harness.one(harness.define({ tasks: { m: each({ uses: 'map.none' }) } }), { items: [] })
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('succeeded')
    expect(tasks).toMatchObject([{ key: 'm', status: 'succeeded', outputJson: '[]' }])
  })

  test.each([
    ['too many', numbers(10_001), 'too_many_items'],
    ['no list', { a: 1 }, 'map_items'],
  ])('%s fail the map, class validation, without a letter', async (_, items, code) => {
    const runId = await harness.one(harness.define({ tasks: { m: each({ uses: 'map.none' }) } }), { items })
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('failed')
    expect(tasks).toMatchObject([{ key: 'm', status: 'failed', error: { code, class: 'validation' } }])
    expect((await harness.internal().listDeadLetters({ projectId, runId, limit: 10 })).letters).toEqual([])
  })

  test('failures: all children finish, failed indices are null, letters are the children’s', async () => {
    const versionId = harness.define({
      output: '${{ tasks.m.output }}',
      tasks: {
        m: {
          ...each({
            uses: 'map.fails',
            with: { value: '${{ item }}' },
            retry: { maxAttempts: 2, delay: '10ms', jitter: 'none' },
          }),
          onFailure: 'continue',
        },
      },
    })
    const seen = new Map<number, number>()
    await worker('map.fails', (lease): Result => {
      const item = itemOf(lease)
      seen.set(item, (seen.get(item) ?? 0) + 1)
      if (item % 10 === 3) return { error: { class: 'user', message: `no ${item}` } }
      if (item % 10 === 5 && lease.attempt === 1) return { error: { class: 'user' } }
      return { output: item }
    })
    const runId = await harness.one(versionId, { items: numbers(30) })
    const { run, tasks } = await harness.ended(runId)
    const outputs = numbers(30).map((n) => (n % 10 === 3 ? null : n))
    expect(run).toMatchObject({ status: 'succeeded', outputJson: JSON.stringify(outputs) })
    expect(tasks[0]).toMatchObject({ status: 'failed', error: { code: 'map_failed', class: 'user' } })
    expect(tasks[0]?.error?.message).toContain('3 of 30')
    expect([seen.get(3), seen.get(5), seen.get(4)]).toEqual([2, 2, 1])
    const { letters } = await harness.internal().listDeadLetters({ projectId, runId, limit: 50 })
    expect(letters.map(({ index = -1 }) => index).sort((a, b) => a - b)).toEqual([3, 13, 23])
    expect(letters[0]).toMatchObject({ taskKey: 'm', state: 'open' })
    expect(letters[0]?.attempts).toHaveLength(2)
    expect(JSON.parse(letters[0]?.inputJson ?? '')).toEqual({ value: letters[0]?.index })
    expect(await harness.events('task.dead-lettered', runId)).toHaveLength(3)
    expect(await leftOvers(runId)).toEqual(nothing)
  })

  test('a wrong expression fails its child alone', async () => {
    const versionId = harness.define({ tasks: { m: each({ uses: 'map.expr', with: { value: '${{ 10 / item }}' } }) } })
    await worker('map.expr', (lease) => ({ output: itemOf(lease) }))
    const runId = await harness.one(versionId, { items: [1, 0, 2] })
    const { run } = await harness.ended(runId)
    expect(run?.status).toBe('failed')
    expect(await children(runId)).toMatchObject([
      { status: 'succeeded' },
      { status: 'failed', attempt: 1, error: { code: 'expression' } },
      { status: 'succeeded' },
    ])
    expect((await harness.internal().listDeadLetters({ projectId, runId, limit: 10 })).letters).toHaveLength(1)
  })

  test('maxParallel is never exceeded, and all items come', async () => {
    let now = 0
    let most = 0
    const versionId = harness.define({
      tasks: { m: each({ uses: 'map.few', with: { value: '${{ item }}' } }, { maxParallel: 3 }) },
    })
    await worker('map.few', async (lease) => {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setTimeout(resolve, 5))
      now -= 1
      return { output: itemOf(lease) }
    })
    const runId = await harness.one(versionId, { items: numbers(40) })
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('succeeded')
    expect(most).toBeLessThanOrEqual(3)
    expect(JSON.parse(tasks[0]?.outputJson ?? '')).toEqual(numbers(40))
    expect(await leftOvers(runId)).toEqual(nothing)
  })

  test('a cancel midway ends the children and then the run', async () => {
    const versionId = harness.define({ tasks: { m: each({ uses: 'map.cancel', with: { value: '${{ item }}' } }) } })
    const client = harness.dispatch()
    const { sessionId, sessionSecret } = await client.register({
      name: 'c',
      executors: ['map.cancel'],
      queues: [],
      concurrency: 50,
    })
    const session = { id: sessionId, secret: sessionSecret }
    const runId = await harness.one(versionId, { items: numbers(1200) })
    const leases = await waitFor(async () => {
      const { leases: got } = await client.leaseTasks({ session, max: 10, waitMs: 1000 })
      return got.length === 10 ? got : null
    })
    const [one, two] = leases
    if (!one || !two) throw new Error('ten leases')
    await client.reportResults({ session, results: [resultOf(one, { output: 1 })] })
    await harness.internal().cancelRun({ runId, projectId, reason: 'asked' })
    // The holder answers the cancel with its result; the others are ended without theirs.
    const late = await client.reportResults({ session, results: [resultOf(two, { output: 2 })] })
    expect(late.verdicts).toEqual(['VERDICT_ACCEPTED'])
    const { run, tasks } = await harness.ended(runId, 20_000)
    expect(run?.status).toBe('cancelled')
    expect(tasks[0]).toMatchObject({ key: 'm', status: 'cancelled' })
    const statuses = (await children(runId)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 'succeeded')).toHaveLength(1)
    expect(new Set(statuses)).toEqual(new Set(['succeeded', 'cancelled']))
    const third = leases[2]
    if (!third) throw new Error('ten leases')
    const stale = await client.reportResults({ session, results: [resultOf(third, { output: 3 })] })
    expect(stale.verdicts).toEqual(['VERDICT_STALE'])
    expect(await leftOvers(runId)).toEqual(nothing)
  })

  test('repeated, forged and late reports of children', async () => {
    const versionId = harness.define({ tasks: { m: each({ uses: 'map.fence' }) } })
    const client = harness.dispatch()
    const { sessionId, sessionSecret } = await client.register({
      name: 'c',
      executors: ['map.fence'],
      queues: [],
      concurrency: 50,
    })
    const session = { id: sessionId, secret: sessionSecret }
    const runId = await harness.one(versionId, { items: [1, 2] })
    const leases = await waitFor(async () => {
      const { leases: got } = await client.leaseTasks({ session, max: 2, waitMs: 1000 })
      return got.length === 2 ? got : null
    })
    const [one, two] = leases.sort((a, b) => (a.index ?? 0) - (b.index ?? 0))
    if (!one || !two) throw new Error('two leases')
    const results = [resultOf(one, { output: 1 })]
    const wrong = [
      { ...resultOf(two, {}), token: two.token + 1 },
      { ...resultOf(two, {}), leaseId: runId },
      { ...resultOf(two, {}), runId: one.taskId },
    ]
    expect((await client.reportResults({ session, results: wrong })).verdicts).toEqual(Array(3).fill('VERDICT_STALE'))
    const both = await client.reportResults({ session, results: [...results, ...results] })
    const again = await client.reportResults({ session, results })
    expect([...both.verdicts, ...again.verdicts]).toEqual(Array(3).fill('VERDICT_ACCEPTED'))
    expect((await harness.events('task.completed', runId)).length).toBe(1)
    await client.reportResults({ session, results: [resultOf(two, { output: 'b' })] })
    const { tasks } = await harness.ended(runId)
    expect(tasks[0]).toMatchObject({ outputJson: '[1,"b"]' })
  })

  test('a retried run tries its failed children again; what succeeded stays', async () => {
    let broken = true
    const versionId = harness.define({
      tasks: { m: each({ uses: 'map.retry', with: { value: '${{ item }}' }, retry: { maxAttempts: 1 } }) },
    })
    const hand = await worker('map.retry', (lease) =>
      broken && itemOf(lease) < 3 ? { error: { class: 'user' } } : { output: itemOf(lease) },
    )
    const runId = await harness.one(versionId, { items: numbers(20) })
    expect((await harness.ended(runId)).run?.status).toBe('failed')
    broken = false
    await harness.internal().retryRun({ runId, projectId })
    const { run, tasks } = await waitFor(async () => {
      const found = await harness.run(runId)
      return found.run?.status === 'succeeded' ? found : null
    })
    expect(run?.generation).toBe(2)
    expect(JSON.parse(tasks[0]?.outputJson ?? '')).toEqual(numbers(20))
    expect(hand.executed).toHaveLength(23)
    expect((await children(runId)).map(({ attempt }) => attempt).slice(0, 4)).toEqual([2, 2, 2, 1])
    const { letters } = await harness.internal().listDeadLetters({ projectId, runId, limit: 10 })
    expect(letters.map(({ state }) => state)).toEqual(['retried', 'retried', 'retried'])
    expect(await harness.events('workflow.completed', runId)).toHaveLength(2)
    expect(await leftOvers(runId)).toEqual(nothing)
  })

  test('one letter of a child is retried alone, with another input', async () => {
    const versionId = harness.define({
      tasks: { m: each({ uses: 'map.letter', with: { value: '${{ item }}' }, retry: { maxAttempts: 1 } }) },
    })
    const hand = await worker('map.letter', (lease) =>
      itemOf(lease) < 2 ? { error: { class: 'user' } } : { output: itemOf(lease) },
    )
    const runId = await harness.one(versionId, { items: [0, 1, 2] })
    await harness.ended(runId)
    const internal = harness.internal()
    const letterOf = async (index: number) => {
      const { letters } = await internal.listDeadLetters({ projectId, runId, state: 'open', limit: 10 })
      return letters.find((letter) => letter.index === index)?.id ?? ''
    }
    await internal.retryDeadLetter({ id: await letterOf(0), projectId, inputJson: '{"value":7}' })
    await waitFor(async () => (await harness.events('workflow.completed', runId)).length === 2)
    expect(await harness.ended(runId)).toMatchObject({ run: { status: 'failed' } })
    expect(hand.executed.map((lease) => lease.index).filter((index) => index === 1)).toHaveLength(1)
    await internal.retryDeadLetter({ id: await letterOf(1), projectId, inputJson: '{"value":8}' })
    await waitFor(async () => (await harness.events('workflow.completed', runId)).length === 3)
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('succeeded')
    expect(JSON.parse(tasks[0]?.outputJson ?? '')).toEqual([7, 8, 2])
    expect(await leftOvers(runId)).toEqual(nothing)
  })

  test('a pause stops new leases of children; a resume goes on', async () => {
    const versionId = harness.define({
      tasks: {
        m: each(
          { uses: 'map.pause', with: { value: '${{ item }}' }, retry: { delay: '50ms', jitter: 'none' } },
          { maxParallel: 30 },
        ),
      },
    })
    const client = harness.dispatch()
    const { sessionId, sessionSecret } = await client.register({
      name: 'c',
      executors: ['map.pause'],
      queues: [],
      concurrency: 50,
    })
    const session = { id: sessionId, secret: sessionSecret }
    const runId = await harness.one(versionId, { items: numbers(50) })
    const held = await waitFor(async () => {
      const { leases } = await client.leaseTasks({ session, max: 2, waitMs: 1000 })
      return leases.length === 2 ? leases : null
    })
    await harness.internal().pauseRun({ runId, projectId })
    expect((await client.leaseTasks({ session, max: 10, waitMs: 300 })).leases).toEqual([])
    const [one, two] = held.sort((a, b) => (a.index ?? 0) - (b.index ?? 0))
    if (!one || !two) throw new Error('two leases')
    // One ends well, the other waits for its next attempt until the run goes on.
    await client.reportResults({
      session,
      results: [resultOf(one, { output: 0 }), resultOf(two, { error: { class: 'user' } })],
      want: 10,
    })
    expect((await client.leaseTasks({ session, max: 10, waitMs: 300 })).leases).toEqual([])
    expect((await children(runId)).map(({ status }) => status).slice(0, 3)).toEqual(['succeeded', 'delayed', 'queued'])
    await harness.internal().resumeRun({ runId, projectId })
    await worker('map.pause', (lease) => ({ output: itemOf(lease) }))
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('succeeded')
    expect(JSON.parse(tasks[0]?.outputJson ?? '')).toEqual(numbers(50))
    expect(await leftOvers(runId)).toEqual(nothing)
  })

  test('a map out of time ends its children and fails, class timeout', async () => {
    const versionId = harness.define({
      tasks: {
        m: { ...each({ uses: 'map.never' }), timeout: '300ms' },
        after: { needs: ['m'], when: 'any_failed', uses: 'map.after' },
      },
    })
    await worker('map.after', () => ({ output: 'told' }))
    const runId = await harness.one(versionId, { items: numbers(700) })
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('failed')
    expect(tasks[0]).toMatchObject({ key: 'm', status: 'failed', error: { class: 'timeout' } })
    expect(tasks.at(-1)).toMatchObject({ key: 'after', status: 'succeeded' })
    expect(new Set((await children(runId)).map(({ status }) => status))).toEqual(new Set(['cancelled']))
    expect(await leftOvers(runId)).toEqual(nothing)
  })

  test('children have their own time limits', async () => {
    const versionId = harness.define({
      tasks: {
        m: { ...each({ uses: 'map.nobody', queueTimeout: '200ms' }), onFailure: 'continue' },
        n: { ...each({ uses: 'map.slow', timeout: '100ms', retry: { maxAttempts: 1 } }), onFailure: 'continue' },
        o: each({ uses: 'sleep', with: { duration: '5100ms' } }),
      },
    })
    await worker('map.slow', () => new Promise<Result>((resolve) => setTimeout(() => resolve({}), 6000)), 3)
    const runId = await harness.one(versionId, { items: [1, 2] })
    const { run, tasks } = await harness.ended(runId, 30_000)
    expect(run?.status).toBe('succeeded')
    const codes = (key: string) =>
      tasks.filter((task) => task.key === key && task._index !== undefined).map((task) => task.error?.code)
    expect(codes('m')).toEqual(['queue_timeout', 'queue_timeout'])
    expect(codes('n')).toEqual(['attempt_timeout', 'attempt_timeout'])
    expect(tasks.find((task) => task.key === 'o')?.outputJson).toBe('[{"sleptMs":5100},{"sleptMs":5100}]')
    expect(await leftOvers(runId)).toEqual(nothing)
  })

  test('another task’s failure stops a map: what runs finishes, the rest is skipped', async () => {
    const versionId = harness.define({
      tasks: {
        m: each({ uses: 'map.stop', with: { value: '${{ item }}' } }),
        bad: { uses: 'map.bad', retry: { maxAttempts: 1 } },
      },
    })
    const client = harness.dispatch()
    const register = async (uses: string) => {
      const { sessionId, sessionSecret } = await client.register({
        name: 'c',
        executors: [uses],
        queues: [],
        concurrency: 50,
      })
      return { id: sessionId, secret: sessionSecret }
    }
    const session = await register('map.stop')
    const bad = await register('map.bad')
    const runId = await harness.one(versionId, { items: numbers(10) })
    const lease = async (from: { id: string; secret: string }) =>
      waitFor(async () => (await client.leaseTasks({ session: from, max: 1, waitMs: 1000 })).leases[0])
    const held = await lease(session)
    const other = await lease(bad)
    await client.reportResults({ session: bad, results: [resultOf(other, { error: { class: 'user' } })] })
    await waitFor(async () => (await children(runId)).filter(({ status }) => status === 'skipped').length === 9)
    expect((await harness.run(runId)).run?.status).toBe('running')
    await client.reportResults({ session, results: [resultOf(held, { output: 1 })] })
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('failed')
    expect(tasks[0]).toMatchObject({ key: 'm', status: 'skipped' })
    expect(await leftOvers(runId)).toEqual(nothing)
  })
})
