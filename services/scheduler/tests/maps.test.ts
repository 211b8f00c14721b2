import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, projectId, type Result, resultOf } from './support/harness.js'
import { each, itemOf, MapHarness, nothing, numbers } from './support/map-harness.js'

describe('maps', () => {
  let maps: MapHarness
  let harness: Harness
  beforeAll(async () => {
    maps = await MapHarness.start()
    harness = maps.harness
  })
  afterAll(() => maps?.stop())

  const slotsInUse = async () => {
    const { rows } = await harness.pool.query(
      `select (select coalesce(sum(in_use), 0) from slots)::int as slots, (select count(*) from slot_holds)::int as holds,
        (select count(*) from tasks where holds_slots and status <> 'running')::int as marked`,
    )
    return rows[0]
  }

  test('a thousand items: one child each, joined in order, every event told once', async () => {
    const value = { value: '${{ item * 2 + index }}', key: '${{ task.idempotencyKey }}' }
    const versionId = harness.define({
      output: { sum: '${{ tasks.m.output.map(x, x.n)[999] }}' },
      tasks: {
        m: each({ uses: 'map.thousand', with: value }),
        after: { needs: ['m'], uses: 'map.thousand', with: { value: '${{ size(tasks.m.output) }}' } },
      },
    })
    const hand = await maps.worker('map.thousand', (lease) => ({ output: { n: itemOf(lease) } }), 50)
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
    expect(await maps.leftOvers(runId)).toEqual(nothing)
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
    expect((await harness.internal().listDeadLetters({ projectId, runId, limit: 10 })).deadLetters).toEqual([])
  })

  test('failures: all children finish, failed indices are null, dead letters are the children’s', async () => {
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
    await maps.worker('map.fails', (lease): Result => {
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
    const { deadLetters } = await harness.internal().listDeadLetters({ projectId, runId, limit: 50 })
    expect(deadLetters.map(({ index = -1 }) => index).sort((a, b) => a - b)).toEqual([3, 13, 23])
    expect(deadLetters[0]).toMatchObject({ taskKey: 'm', state: 'open' })
    expect(deadLetters[0]?.attempts).toHaveLength(2)
    expect(JSON.parse(deadLetters[0]?.inputJson ?? '')).toEqual({ value: deadLetters[0]?.index })
    expect(await harness.events('task.dead-lettered', runId)).toHaveLength(3)
    expect(await maps.leftOvers(runId)).toEqual(nothing)
  })

  test('a wrong expression fails its child alone', async () => {
    const versionId = harness.define({ tasks: { m: each({ uses: 'map.expr', with: { value: '${{ 10 / item }}' } }) } })
    await maps.worker('map.expr', (lease) => ({ output: itemOf(lease) }))
    const runId = await harness.one(versionId, { items: [1, 0, 2] })
    const { run } = await harness.ended(runId)
    expect(run).toMatchObject({ status: 'failed', failedTask: 'm', failedIndex: 1 })
    const [completed] = await harness.events('workflow.completed', runId)
    expect(completed).toMatchObject({ failedTask: 'm', failedIndex: 1 })
    expect((completed as { error?: object }).error).not.toHaveProperty('index')
    expect(await maps.children(runId)).toMatchObject([
      { status: 'succeeded' },
      { status: 'failed', attempt: 1, error: { code: 'expression' } },
      { status: 'succeeded' },
    ])
    expect((await harness.internal().listDeadLetters({ projectId, runId, limit: 10 })).deadLetters).toHaveLength(1)
  })

  test('an output that the database refuses fails its child alone, whatever it was reported with', async () => {
    const versionId = harness.define({
      tasks: { m: { ...each({ uses: 'map.poison', retry: { maxAttempts: 1 } }), onFailure: 'continue' } },
    })
    const { client, session, lease } = await maps.hand('map.poison')
    const runId = await harness.one(versionId, { items: numbers(9) })
    const results = (await lease(9)).map((held) => resultOf(held, { output: held.index }))
    // JavaScript reads this depth, PostgreSQL does not.
    results[4] = { ...results[4], outputJson: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }
    results[5] = { ...results[5], outputJson: JSON.stringify('x'.repeat(80 * 1024)) }
    results[6] = { ...results[6], outputJson: JSON.stringify('nul \u0000 and half \ud83d') }
    const { verdicts } = await client.reportResults({ session, results })
    expect(new Set(verdicts)).toEqual(new Set(['VERDICT_ACCEPTED']))
    await harness.ended(runId)
    const children = await maps.children(runId)
    expect(children.filter(({ status }) => status === 'succeeded')).toHaveLength(8)
    expect(children[4]).toMatchObject({ status: 'failed', error: { code: 'unstorable_output' } })
    const claims = await harness.events('task.completed', runId)
    expect(Math.max(...claims.map(({ outputJson }) => outputJson.length))).toBeLessThan(1000)
    expect(await maps.leftOvers(runId)).toEqual(nothing)
  })

  test('an error whose text no column takes fails its child alone', async () => {
    const tasks = { m: { ...each({ uses: 'map.nul', retry: { maxAttempts: 1 } }), onFailure: 'continue' } }
    const { client, session, lease } = await maps.hand('map.nul')
    const runId = await harness.one(harness.define({ tasks }), { items: numbers(3) })
    const results = (await lease(3)).map((held) => resultOf(held, { output: held.index }))
    const error = { code: 'nul\0', message: 'nul \0', class: 'user', retryable: false }
    results[1] = { ...results[1], outcome: 'OUTCOME_FAILED', outputJson: '', error } as (typeof results)[number]
    await client.reportResults({ session, results })
    await harness.ended(runId)
    const children = await maps.children(runId)
    expect(children.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'succeeded'])
    expect(children[1]).toMatchObject({ error: { class: 'user' } })
  })

  test('a child goes back to the queue with its worker, and counts as open all the while', async () => {
    const versionId = harness.define({ tasks: { m: each({ uses: 'map.back' }, { maxParallel: 2 }) } })
    const { client, session, lease } = await maps.hand('map.back')
    const runId = await harness.one(versionId, { items: numbers(3) })
    const [one, two] = await lease(2)
    if (!one || !two) throw new Error('two leases')
    const { taskId, leaseId, token } = one
    const back = { taskId, runId, leaseId, token, outcome: 'OUTCOME_HANDED_BACK' as const }
    expect((await client.reportResults({ session, results: [back] })).verdicts).toEqual(['VERDICT_ACCEPTED'])
    expect(await maps.leftOvers(runId)).toMatchObject({ open: 2, live: 1 })
    await harness.pool.query(`update sessions set state = 'ended' where id = $1`, [session.id])
    await maps.worker('map.back', (held) => ({ output: held.attempt }))
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('succeeded')
    expect(tasks[0]?.outputJson).toBe('[1,1,1]')
    expect(await maps.leftOvers(runId)).toEqual(nothing)
  })

  test('maxParallel is never exceeded, and all items come', async () => {
    let now = 0
    let most = 0
    const versionId = harness.define({
      tasks: { m: each({ uses: 'map.few', with: { value: '${{ item }}' } }, { maxParallel: 3 }) },
    })
    await maps.worker('map.few', async (lease) => {
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
    expect(await maps.leftOvers(runId)).toEqual(nothing)
  })

  test('children take slots of their limits and give them back, whether they succeed, fail, or are cancelled', async () => {
    const limits = {
      concurrency: { limit: 2, key: '${{ "k" + string(item % 2) }}' },
      retry: { maxAttempts: 2, delay: '10ms' },
    }
    const versionId = harness.define({
      tasks: {
        m: { ...each({ uses: 'map.limits', with: { value: '${{ item }}' }, ...limits }), onFailure: 'continue' },
      },
    })
    const now = [0, 0]
    let most = 0
    await maps.worker('map.limits', async (lease): Promise<Result> => {
      const item = itemOf(lease)
      const key = item % 2
      now[key] = (now[key] ?? 0) + 1
      most = Math.max(most, now[key] ?? 0)
      await new Promise((resolve) => setTimeout(resolve, 5))
      now[key] = (now[key] ?? 0) - 1
      return item % 5 === 0 ? { error: { class: 'user' } } : { output: item }
    })
    const runId = await harness.one(versionId, { items: numbers(20) })
    const { run, tasks } = await harness.ended(runId, 60_000)
    expect(run?.status).toBe('succeeded')
    expect(JSON.parse(tasks[0]?.outputJson ?? '')).toEqual(numbers(20).map((n) => (n % 5 === 0 ? null : n)))
    expect(most).toBe(2)
    expect(await slotsInUse()).toEqual({ slots: 0, holds: 0, marked: 0 })
    const cancelled = await harness.one(
      harness.define({ tasks: { m: each({ uses: 'map.held', concurrency: { limit: 3, key: 'held' } }) } }),
      { items: numbers(6) },
    )
    await maps.worker('map.held', () => new Promise<Result>((resolve) => setTimeout(() => resolve({}), 4000)))
    await waitFor(async () => (await slotsInUse()).holds === 3)
    await harness.internal().cancelRun({ runId: cancelled, projectId, reason: 'asked' })
    expect((await harness.ended(cancelled)).run?.status).toBe('cancelled')
    expect(await slotsInUse()).toEqual({ slots: 0, holds: 0, marked: 0 })
  }, 90_000)

  test('repeated, forged and late reports of children', async () => {
    const versionId = harness.define({ tasks: { m: each({ uses: 'map.fence' }) } })
    const { client, session, lease } = await maps.hand('map.fence')
    const runId = await harness.one(versionId, { items: [1, 2] })
    const leases = await lease(2)
    const [one, two] = leases
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

  test('children have their own time limits', async () => {
    const versionId = harness.define({
      tasks: {
        m: { ...each({ uses: 'map.nobody', queueTimeout: '200ms' }), onFailure: 'continue' },
        n: { ...each({ uses: 'map.slow', timeout: '100ms', retry: { maxAttempts: 1 } }), onFailure: 'continue' },
        o: each({ uses: 'sleep', with: { duration: '5100ms' } }),
      },
    })
    await maps.worker('map.slow', () => new Promise<Result>((resolve) => setTimeout(() => resolve({}), 6000)), 3)
    const runId = await harness.one(versionId, { items: [1, 2] })
    const { run, tasks } = await harness.ended(runId, 30_000)
    expect(run?.status).toBe('succeeded')
    const codes = (key: string) =>
      tasks.filter((task) => task.key === key && task._index !== undefined).map((task) => task.error?.code)
    expect(codes('m')).toEqual(['queue_timeout', 'queue_timeout'])
    expect(codes('n')).toEqual(['attempt_timeout', 'attempt_timeout'])
    expect(tasks.find((task) => task.key === 'o')?.outputJson).toBe('[{"sleptMs":5100},{"sleptMs":5100}]')
    expect(await maps.leftOvers(runId)).toEqual(nothing)
  })
})
