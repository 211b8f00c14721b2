import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, projectId, resultOf } from './support/harness.js'
import { each, itemOf, MapHarness, nothing, numbers } from './support/map-harness.js'

describe('maps under control', () => {
  let maps: MapHarness
  let harness: Harness
  beforeAll(async () => {
    maps = await MapHarness.start()
    harness = maps.harness
  })
  afterAll(() => maps?.stop())

  test('a cancel midway ends the children and then the run', async () => {
    const versionId = harness.define({ tasks: { m: each({ uses: 'map.cancel', with: { value: '${{ item }}' } }) } })
    const { client, session, lease } = await maps.hand('map.cancel')
    const runId = await harness.one(versionId, { items: numbers(1200) })
    const leases = await lease(10)
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
    const statuses = (await maps.children(runId)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 'succeeded')).toHaveLength(1)
    expect(new Set(statuses)).toEqual(new Set(['succeeded', 'cancelled']))
    const third = leases[2]
    if (!third) throw new Error('ten leases')
    const stale = await client.reportResults({ session, results: [resultOf(third, { output: 3 })] })
    expect(stale.verdicts).toEqual(['VERDICT_STALE'])
    expect(await maps.leftOvers(runId)).toEqual(nothing)
  })

  test('a retried run tries its failed children again; what succeeded stays', async () => {
    let broken = true
    const versionId = harness.define({
      tasks: { m: each({ uses: 'map.retry', with: { value: '${{ item }}' }, retry: { maxAttempts: 1 } }) },
    })
    const hand = await maps.worker('map.retry', (lease) =>
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
    expect((await maps.children(runId)).map(({ attempt }) => attempt).slice(0, 4)).toEqual([2, 2, 2, 1])
    const { deadLetters } = await harness.internal().listDeadLetters({ projectId, runId, limit: 10 })
    expect(deadLetters.map(({ state }) => state)).toEqual(['retried', 'retried', 'retried'])
    expect(await harness.events('workflow.completed', runId)).toHaveLength(2)
    expect(await maps.leftOvers(runId)).toEqual(nothing)
  })

  test('one dead letter of a child is retried alone, with another input', async () => {
    const versionId = harness.define({
      tasks: { m: each({ uses: 'map.letter', with: { value: '${{ item }}' }, retry: { maxAttempts: 1 } }) },
    })
    const hand = await maps.worker('map.letter', (lease) =>
      itemOf(lease) < 2 ? { error: { class: 'user' } } : { output: itemOf(lease) },
    )
    const runId = await harness.one(versionId, { items: [0, 1, 2] })
    await harness.ended(runId)
    const internal = harness.internal()
    const letterOf = async (index: number) => {
      const { deadLetters } = await internal.listDeadLetters({ projectId, runId, state: 'open', limit: 10 })
      return deadLetters.find((deadLetter) => deadLetter.index === index)?.id ?? ''
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
    expect(await maps.leftOvers(runId)).toEqual(nothing)
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
    const { client, session, lease } = await maps.hand('map.pause')
    const runId = await harness.one(versionId, { items: numbers(50) })
    const held = await lease(2)
    await harness.internal().pauseRun({ runId, projectId })
    expect((await client.leaseTasks({ session, max: 10, waitMs: 300 })).leases).toEqual([])
    const [one, two] = held
    if (!one || !two) throw new Error('two leases')
    // One ends well, the other waits for its next attempt until the run goes on.
    await client.reportResults({
      session,
      results: [resultOf(one, { output: 0 }), resultOf(two, { error: { class: 'user' } })],
      want: 10,
    })
    expect((await client.leaseTasks({ session, max: 10, waitMs: 300 })).leases).toEqual([])
    expect((await maps.children(runId)).map(({ status }) => status).slice(0, 3)).toEqual([
      'succeeded',
      'delayed',
      'queued',
    ])
    await harness.internal().resumeRun({ runId, projectId })
    await maps.worker('map.pause', (lease) => ({ output: itemOf(lease) }))
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('succeeded')
    expect(JSON.parse(tasks[0]?.outputJson ?? '')).toEqual(numbers(50))
    expect(await maps.leftOvers(runId)).toEqual(nothing)
  })

  test('children that go back into the queue while another ends them leave no place behind', async () => {
    const versionId = harness.define({ tasks: { m: each({ uses: 'map.raced' }) } })
    const runId = await harness.one(versionId, { items: numbers(3) })
    const seen = async () => {
      const { rows } = await harness.pool.query(
        `select (select count(*) from task_queue where run_id = $1)::int as places,
          (select count(*) from tasks where run_id = $1 and idx >= 0 and status = 'cancelled')::int as cancelled`,
        [runId],
      )
      return rows[0] as { places: number; cancelled: number }
    }
    await waitFor(async () => (await seen()).places === 3)
    // As a resume does: it holds the group, and gives the children their places back.
    const resume = await harness.pool.connect()
    try {
      await resume.query(`
        begin;
        create temporary table places on commit preserve rows as select * from task_queue where run_id = '${runId}';
        delete from task_queue where run_id = '${runId}';
        update map_groups set ending = 'cancel', ending_at = clock_timestamp() where run_id = '${runId}';
        commit;
        begin;
        select 1 from map_groups where run_id = '${runId}' for update;
        insert into task_queue overriding system value select * from places;`)
      await waitFor(async () => {
        const { rows } = await harness.pool.query(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%map_groups%'`,
        )
        return rows.length > 0
      })
      await resume.query('commit')
    } finally {
      await resume.query('rollback; drop table if exists places')
      resume.release()
    }
    const end = await waitFor(async () => {
      const now = await seen()
      return now.cancelled === 3 ? now : null
    })
    expect(end.places).toBe(0)
  })

  test('a map out of time ends its children and fails, class timeout', async () => {
    const versionId = harness.define({
      tasks: {
        m: { ...each({ uses: 'map.never' }), timeout: '300ms' },
        after: { needs: ['m'], when: 'any_failed', uses: 'map.after' },
      },
    })
    await maps.worker('map.after', () => ({ output: 'told' }))
    const runId = await harness.one(versionId, { items: numbers(700) })
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('failed')
    expect(tasks[0]).toMatchObject({ key: 'm', status: 'failed', error: { class: 'timeout' } })
    expect(tasks.at(-1)).toMatchObject({ key: 'after', status: 'succeeded' })
    expect(new Set((await maps.children(runId)).map(({ status }) => status))).toEqual(new Set(['cancelled']))
    expect(await maps.leftOvers(runId)).toEqual(nothing)
  })

  test('another task’s failure stops a map: what runs finishes, the rest is skipped', async () => {
    const versionId = harness.define({
      tasks: {
        m: each({ uses: 'map.stop', with: { value: '${{ item }}' } }),
        bad: { uses: 'map.bad', retry: { maxAttempts: 1 } },
      },
    })
    const hand = await maps.hand('map.stop')
    const bad = await maps.hand('map.bad')
    const runId = await harness.one(versionId, { items: numbers(10) })
    const [held] = await hand.lease(1)
    const [other] = await bad.lease(1)
    if (!held || !other) throw new Error('a lease each')
    await bad.client.reportResults({ session: bad.session, results: [resultOf(other, { error: { class: 'user' } })] })
    await waitFor(async () => (await maps.children(runId)).filter(({ status }) => status === 'skipped').length === 9)
    expect((await harness.run(runId)).run?.status).toBe('running')
    await hand.client.reportResults({ session: hand.session, results: [resultOf(held, { output: 1 })] })
    const { run, tasks } = await harness.ended(runId)
    expect(run?.status).toBe('failed')
    expect(tasks[0]).toMatchObject({ key: 'm', status: 'skipped' })
    expect(await maps.leftOvers(runId)).toEqual(nothing)
  })
})
