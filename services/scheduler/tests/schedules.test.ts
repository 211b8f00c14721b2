import type { schedules } from '@millrace/contracts'
import { notFound, quotaExceeded, unavailable } from '@millrace/errors'
import { waitFor } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ScheduleHarness } from './support/schedule-harness.js'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 })

let harness: ScheduleHarness

beforeEach(async () => {
  harness = await ScheduleHarness.start()
})

afterEach(() => harness.stop())

const hourly = '0 * * * *'
const ticksOf = (id: string) => harness.newRuns.ticksOf(id)

const untilBorn = (id: string, count: number, timeoutMs = 20_000) =>
  waitFor(() => ticksOf(id).length >= count, { timeoutMs, intervalMs: 20, what: `${count} runs of a schedule` })

const untilSeen = (id: string, probe: (schedule: schedules.Schedule__Output) => boolean) =>
  waitFor(
    async () => {
      const schedule = await harness.get(id)
      return probe(schedule) ? schedule : undefined
    },
    { timeoutMs: 20_000, intervalMs: 50, what: 'the schedule to show it' },
  )

/** Every whole second from the first to the last, each once: nothing left out, nothing twice. */
function expectEverySecond(ticks: string[]): void {
  const times = ticks.map((tick) => Date.parse(tick))
  times.forEach((time, i) => {
    if (i > 0) expect(time - (times[i - 1] ?? 0), `after ${ticks[i - 1]}`).toBe(1000)
  })
}

const isEverySecond = (ticks: string[]): boolean =>
  ticks.every((tick, i) => i === 0 || Date.parse(tick) - Date.parse(ticks[i - 1] ?? '') === 1000)

/** As after downtime: the schedule's next tick lies back. */
async function missed(id: string, since: string): Promise<void> {
  await harness.pool.query('update schedules set next_at = $2 where id = $1', [id, since])
}

/** What subscribers are told of ticks without a run. */
async function told(id: string): Promise<Record<string, unknown>[]> {
  const { rows } = await harness.pool.query<{ data: Record<string, unknown> }>(
    `select data from events.log where topic = 'schedule.missed' and subject = $1 order by id`,
    [id],
  )
  return rows.map((row) => row.data)
}

const hoursAgo = (hours: number) => {
  const time = new Date(Date.now() - hours * 3_600_000)
  time.setUTCMinutes(0, 0, 0)
  return time.toISOString()
}

describe('a schedule', () => {
  test('starts a run each time that it comes due, on time', async () => {
    const { id, nextAt } = await harness.create({ catchup: 'all' })
    await untilBorn(id, 3)
    const ticks = ticksOf(id)
    expect(ticks[0]).toBe(nextAt)
    expectEverySecond(ticks)
    const call = harness.newRuns.calls.find(({ dedupeKey }) => dedupeKey === `schedule:${id}:${ticks[0]}`)
    expect(call).toMatchObject({ workflow: 'nightly', inputJson: '{"n":1}', labels: { schedule: id, tick: ticks[0] } })
    const after = await untilSeen(id, ({ lastTickAt }) => lastTickAt >= (ticks[2] ?? ''))
    expect([...harness.newRuns.runs.values()]).toContain(after.lastRunId)
    expect(after).toMatchObject({ lastError: null, catchup: 'all' })
  })

  test('made twice under one id is one schedule', async () => {
    const id = v7()
    const [first, second] = await Promise.all([
      harness.create({ id, cron: hourly }),
      harness.create({ id, cron: hourly }),
    ])
    expect(second.createdAt).toBe(first.createdAt)
    const { rows } = await harness.pool.query(`select data from events.log where topic = 'audit.recorded'`)
    expect(rows.map(({ data }) => `${data.actor} ${data.action} ${data.target}`)).toEqual([
      `user:test schedule.created schedule:${id}`,
    ])
  })

  test.each([
    [{ cron: '* * * *' }, 'invalid_cron'],
    [{ cron: '0 0 30 2 *' }, 'invalid_cron'],
    [{ timezone: 'Mars/Base' }, 'invalid_timezone'],
    [{ catchup: 'some' }, 'invalid_request'],
  ])('of %j is refused', async (fields, reason) => {
    await expect(harness.create(fields)).rejects.toMatchObject({ code: 'unprocessable', reason })
    const { id } = await harness.create({ cron: hourly })
    await expect(harness.update(id, fields)).rejects.toMatchObject({ code: 'unprocessable', reason })
  })

  test('is seen by its own project alone', async () => {
    const { id } = await harness.create({ cron: hourly })
    const other = { id, projectId: v7() }
    const absent = { code: 'not_found', reason: 'schedule_not_found' }
    const client = harness.client()
    await expect(client.getSchedule(other)).rejects.toMatchObject(absent)
    await expect(client.updateSchedule({ ...other, paused: true })).rejects.toMatchObject(absent)
    await expect(client.deleteSchedule(other)).rejects.toMatchObject(absent)
    await expect(client.nextTicks({ ...other, count: 1 })).rejects.toMatchObject(absent)
    const range = { from: hoursAgo(2), to: hoursAgo(0) }
    await expect(client.backfillSchedule({ ...other, ...range })).rejects.toMatchObject(absent)
    expect((await client.listSchedules({ projectId: other.projectId, limit: 10 })).schedules).toEqual([])
    expect((await client.listSchedules({ projectId: harness.projectId, limit: 10 })).schedules).toHaveLength(1)
  })

  test('tells its next ticks in its time zone', async () => {
    const { id } = await harness.create({ cron: '30 6 * * *', timezone: 'Asia/Kolkata', paused: true })
    const { ticks } = await harness.client().nextTicks({ id, projectId: harness.projectId, count: 3 })
    expect(ticks.map((tick) => tick.slice(11))).toEqual(['01:00:00.000Z', '01:00:00.000Z', '01:00:00.000Z'])
    expect(new Set(ticks).size).toBe(3)
  })

  test('that was deleted starts nothing more', async () => {
    const { id } = await harness.create()
    await untilBorn(id, 1)
    await harness.client().deleteSchedule({ id, projectId: harness.projectId })
    const { rows } = await harness.pool.query('select from schedule_ticks')
    expect(rows).toEqual([])
    const other = await harness.create()
    await untilBorn(other.id, 1)
    const before = ticksOf(id).length
    await untilBorn(other.id, 3)
    expect(ticksOf(id)).toHaveLength(before)
  })
})

describe('many schedulers', () => {
  test('never fire one tick twice, nor leave one out', async () => {
    await harness.startScheduler()
    await harness.startScheduler()
    const made = await Promise.all(Array.from({ length: 10 }, () => harness.create({ catchup: 'all' })))
    for (const { id } of made) await untilBorn(id, 4)
    for (const { id } of made) expectEverySecond(ticksOf(id))
    const keys = harness.newRuns.calls.map(({ dedupeKey }) => dedupeKey)
    expect(keys.length, 'no tick was asked for twice').toBe(new Set(keys).size)
  })

  test('go on where one ended between its call and the answer', async () => {
    let answer = () => {}
    harness.newRuns.beforeAnswer = () =>
      new Promise((resolve) => {
        answer = resolve
      })
    const { id } = await harness.create({ cron: hourly, catchup: 'last' })
    await missed(id, hoursAgo(3))
    await untilBorn(id, 1)
    // The call is under way: as a crash leaves it, the tick stays claimed and nobody has the answer.
    const { rows } = await harness.pool.query('select tries from schedule_ticks')
    expect(rows).toEqual([{ tries: 1 }])
    harness.newRuns.beforeAnswer = async () => {}
    await harness.newRuns.stop()
    answer()
    await harness.stopSchedulers()
    await harness.newRuns.start()
    await harness.startScheduler()
    await untilSeen(id, ({ lastRunId }) => lastRunId !== '')
    expect(ticksOf(id), 'asked again, and still one run').toEqual([hoursAgo(0)])
    expect(harness.newRuns.calls.length).toBeGreaterThan(1)
    expect(await harness.get(id)).toMatchObject({ pendingTicks: 0, lastTickAt: hoursAgo(0) })
  })
})

test('a tick whose scheduler died with it is fired by another once the claim runs out', async () => {
  const { id } = await harness.create({ cron: hourly })
  const claimed = `insert into schedule_ticks (schedule_id, tick, origin, due_at, tries)
    values ($1, $2, 'clock', clock_timestamp() + interval '1 second', 1)`
  await harness.pool.query(claimed, [id, hoursAgo(0)])
  await untilBorn(id, 1)
  await untilSeen(id, ({ lastTickAt, pendingTicks }) => lastTickAt === hoursAgo(0) && pendingTicks === 0)
})

describe('while the workflow service is away', () => {
  test('ticks wait, and each has its run afterwards', async () => {
    await harness.newRuns.stop()
    const { id } = await harness.create({ catchup: 'all' })
    await untilSeen(id, ({ pendingTicks }) => pendingTicks >= 3)
    await harness.newRuns.start()
    await untilBorn(id, 5)
    // Ticks that were tried during the outage come after others: each when its own pause is over.
    await waitFor(() => isEverySecond(ticksOf(id)), { timeoutMs: 20_000 })
    expect((await harness.get(id)).lastError).toBeNull()
  })

  test('a fault is not taken for a refusal', async () => {
    harness.newRuns.refuse = () => unavailable('database_down', 'Try again.')
    const { id } = await harness.create({ catchup: 'all' })
    await waitFor(() => harness.newRuns.calls.length >= 3)
    harness.newRuns.refuse = undefined
    await untilBorn(id, 3)
    await waitFor(() => isEverySecond(ticksOf(id)), { timeoutMs: 20_000 })
  })
})

test('a refused tick is failed with its reason and not repeated; the next success clears it', async () => {
  harness.newRuns.refuse = () => notFound('workflow_not_found', 'There is no such workflow.')
  const { id } = await harness.create()
  const failed = await untilSeen(id, ({ lastError }) => lastError !== null)
  expect(failed.lastError).toMatchObject({ code: 'workflow_not_found', message: 'There is no such workflow.' })
  const refused = harness.newRuns.calls.filter(({ dedupeKey }) => dedupeKey.endsWith(failed.lastError?.tick ?? '-'))
  expect(refused).toHaveLength(1)
  // Every second one more is refused; of one schedule people are told once in a while.
  await waitFor(() => harness.newRuns.calls.filter(({ dedupeKey }) => dedupeKey.includes(id)).length >= 3)
  expect(await told(id)).toMatchObject([
    { reason: 'refused', code: 'workflow_not_found', workflow: 'nightly', scheduleId: id, count: 1 },
  ])
  harness.newRuns.refuse = undefined
  await untilBorn(id, 1)
  await untilSeen(id, ({ lastError }) => lastError === null)
})

describe('many ticks of one moment', () => {
  // A full hour that comes meanwhile would bring a tick of its own.
  beforeEach(() =>
    waitFor(() => 3_600_000 - (Date.now() % 3_600_000) > 15_000, {
      timeoutMs: 20_000,
      what: 'the full hour to be past',
    }),
  )

  const dueNow = async (count: number, fields: schedules.CreateScheduleRequest = {}) => {
    const made = []
    for (let i = 0; i < count; i++) made.push((await harness.create({ cron: hourly, catchup: 'last', ...fields })).id)
    return made
  }
  const releaseAll = () => harness.pool.query('update schedules set next_at = $1', [hoursAgo(0)])
  const untilSettled = () =>
    waitFor(
      async () => {
        const { rows } = await harness.pool.query<{ open: number }>(
          `select ((select count(*) from schedule_ticks) + (select count(*) from schedules where next_at <= now()))::int as open`,
        )
        return rows[0]?.open === 0
      },
      { timeoutMs: 30_000, intervalMs: 50, what: 'no tick to be left' },
    )

  test('are asked for together; one that is refused leaves the others alone', async () => {
    const ids = await dueNow(60)
    const [bad = ''] = ids
    harness.newRuns.refuse = ({ dedupeKey }) =>
      dedupeKey.includes(bad) ? quotaExceeded('runsPerDay', 'No more today.') : undefined
    await releaseAll()
    await untilSettled()
    expect(harness.newRuns.batches.length).toBeLessThan(30)
    for (const id of ids.slice(1)) expect(ticksOf(id)).toHaveLength(1)
    expect((await harness.get(bad)).lastError).toMatchObject({ code: 'quota_exceeded', message: 'No more today.' })
    expect(await told(bad)).toMatchObject([{ reason: 'refused', code: 'quota_exceeded' }])
    expect(harness.newRuns.calls).toHaveLength(60)
  })

  test('with large inputs are asked for in several calls that each fit a message', async () => {
    const ids = await dueNow(40, { inputJson: JSON.stringify('x'.repeat(250_000)) })
    await releaseAll()
    await untilSettled()
    for (const id of ids) expect(ticksOf(id)).toHaveLength(1)
    expect(Math.max(...harness.newRuns.batches)).toBeLessThanOrEqual(17)
    expect(harness.newRuns.calls).toHaveLength(40)
  })
})

describe('after downtime', () => {
  const hours = [5, 4, 3, 2, 1, 0].map(hoursAgo)

  test.each([
    ['none', []],
    ['last', hours.slice(-1)],
    ['all', hours],
  ])('catch-up %s', async (catchup, expected) => {
    // A moment at which the last hour is not just past.
    const { id } = await harness.create({ cron: hourly, catchup, paused: true })
    await harness.stopSchedulers()
    await harness.pool.query('update schedules set paused = false, next_at = $2 where id = $1', [id, hours[0]])
    await harness.startScheduler()
    const sentinel = await harness.create()
    await untilBorn(sentinel.id, 3)
    const onTheHour = Date.now() % 3_600_000 < 90_000
    if (!onTheHour) expect(ticksOf(id)).toEqual(expected)
    const last = { none: hours.at(-1), last: hours.at(-2), all: undefined }[catchup]
    const missed = last ? [{ reason: 'downtime', firstTick: hours[0], lastTick: last, count: 1 }] : []
    if (!onTheHour) expect(await told(id)).toMatchObject(missed)
    const { nextAt, pendingTicks } = await harness.get(id)
    expect(Date.parse(nextAt)).toBeGreaterThan(Date.now())
    expect(pendingTicks).toBe(0)
  })

  test('a long tail is caught up whole, in slices, and holds nobody up', async () => {
    const { id } = await harness.create({ cron: '* * * * *', catchup: 'all' })
    const from = new Date(Date.now() - 1000 * 60_000)
    from.setUTCSeconds(0, 0)
    await missed(id, from.toISOString())
    const prompt = await harness.create({ catchup: 'all' })
    await untilBorn(prompt.id, 2, 5000)
    await untilBorn(id, 1000, 40_000)
    const ticks = ticksOf(id)
    expect(ticks[0]).toBe(from.toISOString())
    expect(Date.parse(ticks[999] ?? '')).toBe(from.getTime() + 999 * 60_000)
    expectEverySecond(ticksOf(prompt.id))
  })
})

describe('a paused schedule', () => {
  test('starts nothing, and makes up for nothing when it resumes', async () => {
    const { id } = await harness.create({ catchup: 'all' })
    await untilBorn(id, 1)
    const paused = (await harness.update(id, { paused: true })).schedule
    expect(paused).toMatchObject({ paused: true, nextAt: '', pendingTicks: 0 })
    const sentinel = await harness.create()
    await untilBorn(sentinel.id, 1)
    const before = ticksOf(id)
    await untilBorn(sentinel.id, 4)
    expect(ticksOf(id)).toEqual(before)
    const resumed = (await harness.update(id, { paused: false })).schedule
    await untilBorn(id, before.length + 2)
    expect(ticksOf(id)[before.length]).toBe(resumed?.nextAt)
  })

  test('keeps what was not changed', async () => {
    const { id, ...made } = await harness.create({ cron: hourly })
    const { schedule } = await harness.update(id, { inputJson: '{"n":2}' })
    expect(schedule).toMatchObject({ ...made, inputJson: '{"n":2}', updatedAt: expect.any(String) })
    const retimed = await harness.update(id, { cron: '30 * * * *', timezone: 'Europe/Berlin' })
    expect(retimed.schedule).toMatchObject({ cron: '30 * * * *', inputJson: '{"n":2}' })
    expect(retimed.schedule?.nextAt).toMatch(/:30:00\.000Z$/)
  })
})

describe('a backfill', () => {
  const backfill = (id: string, from: string, to: string) =>
    harness.client().backfillSchedule({ id, projectId: harness.projectId, from, to })

  test('makes one run for each tick of its range, also of a paused schedule; twice makes no more', async () => {
    const { id } = await harness.create({ cron: '*/10 * * * *', paused: true })
    const range = ['2026-01-05T10:00:00.000Z', '2026-01-05T12:00:00.000Z'] as const
    const answers = await Promise.all([backfill(id, ...range), backfill(id, ...range)])
    expect(answers).toEqual([{ ticks: 12 }, { ticks: 12 }])
    await untilBorn(id, 12)
    expect(await backfill(id, ...range)).toEqual({ ticks: 12 })
    await untilSeen(id, ({ pendingTicks }) => pendingTicks === 0)
    expect(ticksOf(id)).toHaveLength(12)
    expect(ticksOf(id)[0]).toBe(range[0])
    expect((await harness.get(id)).lastTickAt, 'a backfill is not the latest tick').toBe('')
  })

  test('is bounded, and ends at the present', async () => {
    const { id } = await harness.create({ cron: '* * * * *', paused: true })
    await expect(backfill(id, '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z')).rejects.toMatchObject({
      code: 'unprocessable',
      reason: 'backfill_too_large',
    })
    await expect(backfill(id, '0005-01-01T00:00:00Z', hoursAgo(1))).rejects.toMatchObject({
      code: 'unprocessable',
      fieldErrors: [{ path: '/from' }],
    })
    await expect(backfill(id, hoursAgo(0), hoursAgo(1))).rejects.toMatchObject({ code: 'unprocessable' })
    await expect(backfill(id, 'soon', hoursAgo(1))).rejects.toMatchObject({ code: 'unprocessable' })
    const now = Date.now()
    const { ticks } = await backfill(
      id,
      new Date(now - 180_000).toISOString(),
      new Date(now + 86_400_000).toISOString(),
    )
    expect(ticks).toBe(3)
  })
})
