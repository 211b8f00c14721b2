import { randomUUID } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Account, type Client, login, newUser, uniqueName } from './support/client.js'
import { expectProblem } from './support/problems.js'
import type { Page, RunSummary } from './support/shapes.js'
import { startTarget, type Target, targetIsOwn } from './support/target.js'

vi.setConfig({ testTimeout: 60_000 })

interface Schedule {
  id: string
  workflow: string
  cron: string
  timezone: string
  input: unknown
  catchup: string
  paused: boolean
  nextAt: string | null
  lastTickAt: string | null
  lastRunId: string | null
  lastError: { tick: string; at: string; code: string; message: string } | null
}

let target: Target
let account: Account
let client: Client

beforeAll(async () => {
  target = await startTarget()
}, 120_000)

beforeEach(async () => {
  account = await newUser(target)
  client = account.client
})

afterAll(() => target?.close())

const everySecond = '* * * * * *'
const hourly = '0 * * * *'

async function workflow(more: object = {}): Promise<string> {
  const { name } = await client.createWorkflow({
    name: uniqueName('timed'),
    tasks: { a: { uses: 'noop', with: { output: '${{ input }}' } } },
    ...more,
  })
  return name
}

const create = (body: object) => client.want<Schedule>(201, 'POST', '/api/v1/schedules', { body })
const change = (id: string, body: object) => client.want<Schedule>(200, 'PATCH', `/api/v1/schedules/${id}`, { body })
const get = (id: string) => client.get<Schedule>(`/api/v1/schedules/${id}`)
const runsOf = (name: string) => client.all<RunSummary>(`/api/v1/runs?workflow=${name}`)
const ticksOf = async (name: string) => (await runsOf(name)).map(({ labels }) => labels.tick ?? '').sort()

const untilRuns = (name: string, count: number) =>
  waitFor(async () => (await runsOf(name)).length >= count, {
    timeoutMs: 30_000,
    intervalMs: 100,
    what: `${count} runs`,
  })

test('a schedule of every second starts a run a second, each with its input, until it is paused', async () => {
  const name = await workflow()
  const made = await create({ workflow: name, cron: everySecond, input: { n: 7 }, catchup: 'all' })
  expect(made).toMatchObject({ workflow: name, timezone: 'UTC', catchup: 'all', paused: false, lastRunId: null })
  await untilRuns(name, 3)
  expect(await change(made.id, { paused: true })).toMatchObject({ paused: true, nextAt: null })
  const ticks = await ticksOf(name)
  expect(ticks[0]).toBe(made.nextAt)
  expect(new Set(ticks).size).toBe(ticks.length)
  for (const [i, tick] of ticks.entries()) expect(Date.parse(tick)).toBe(Date.parse(made.nextAt ?? '') + i * 1000)
  const [newest] = await runsOf(name)
  const run = await client.ended(newest?.id ?? '')
  expect(run).toMatchObject({ status: 'succeeded', input: { n: 7 }, labels: { schedule: made.id } })
  expect(Math.abs(Date.parse(run.createdAt) - Date.parse(run.labels.tick ?? '')), 'on time').toBeLessThan(2000)
  const after = await get(made.id)
  expect(after).toMatchObject({ lastError: null, lastTickAt: expect.any(String), lastRunId: expect.any(String) })
})

test('the next ticks are told in order, five unless asked otherwise', async () => {
  const { id } = await create({ workflow: await workflow(), cron: '30 6 * * *', timezone: 'Asia/Kolkata' })
  const { items } = await client.get<{ items: string[] }>(`/api/v1/schedules/${id}/next`)
  expect(items).toHaveLength(5)
  for (const item of items) expect(item).toMatch(/^\d{4}-\d\d-\d\dT01:00:00\.000Z$/)
  expect((await client.get<{ items: string[] }>(`/api/v1/schedules/${id}/next?n=2`)).items).toEqual(items.slice(0, 2))
  for (const n of ['0', '101', 'x']) {
    expectProblem(await client.call('GET', `/api/v1/schedules/${id}/next?n=${n}`), n, 422)
  }
})

describe('what is refused', () => {
  test.each([
    [{ cron: '61 * * * *' }, 422],
    [{ cron: '* * * *' }, 422],
    [{ cron: '@reboot' }, 422],
    [{ cron: '0 0 31 2 *' }, 422],
    [{ cron: '' }, 422],
    [{ cron: 5 }, 422],
    [{ timezone: 'Mars/Base' }, 422],
    [{ catchup: 'some' }, 422],
    [{ paused: 'no' }, 422],
    [{ surprise: 1 }, 422],
    [{ input: { n: 'text' } }, 422],
    [{ workflow: 'no-such-workflow' }, 404],
    [{ workflow: 'No Name' }, 422],
  ])('%j → %i', async (fields, status) => {
    const input = { type: 'object', properties: { n: { type: 'integer' } } }
    const good = { workflow: await workflow({ input }), cron: hourly }
    const reply = await client.call('POST', '/api/v1/schedules', { body: { ...good, ...fields } })
    const problem = expectProblem(reply, JSON.stringify(fields), status)
    if (status === 422) expect(problem.errors?.length).toBeGreaterThan(0)
    expect((await client.get<Page<Schedule>>('/api/v1/schedules')).items).toEqual([])
    const { id } = await create(good)
    expectProblem(await client.call('PATCH', `/api/v1/schedules/${id}`, { body: fields }), 'as a change', status)
    expect(await get(id)).toMatchObject({ ...good, timezone: 'UTC' })
  })

  test('a schedule of another project, or of none, is not there', async () => {
    const { id } = await create({ workflow: await workflow(), cron: hourly })
    const stranger = (await newUser(target)).client
    for (const [caller, path] of [
      [stranger, `/api/v1/schedules/${id}`],
      [client, `/api/v1/schedules/${randomUUID()}`],
      [client, '/api/v1/schedules/none'],
    ] as const) {
      expectProblem(await caller.call('GET', path), path, 404, 'schedule_not_found')
      expectProblem(await caller.call('PATCH', path, { body: { paused: true } }), path, 404)
      expectProblem(await caller.call('DELETE', path), path, 404)
      expectProblem(await caller.call('GET', `${path}/next`), path, 404)
      const body = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T02:00:00Z' }
      expectProblem(await caller.call('POST', `${path}/backfill`, { body }), path, 404)
    }
    expect((await stranger.get<Page<Schedule>>('/api/v1/schedules')).items).toEqual([])
  })

  test('viewers and operators read, editors write', async () => {
    const name = await workflow()
    const { id } = await create({ workflow: name, cron: hourly })
    for (const role of ['viewer', 'operator']) {
      const reader = client.as((await client.createKey(role)).key)
      await reader.get(`/api/v1/schedules/${id}`)
      const body = { workflow: name, cron: hourly }
      expectProblem(await reader.call('POST', '/api/v1/schedules', { body }), role, 403)
      expectProblem(await reader.call('PATCH', `/api/v1/schedules/${id}`, { body: { paused: true } }), role, 403)
      expectProblem(await reader.call('DELETE', `/api/v1/schedules/${id}`), role, 403)
    }
    const editor = client.as((await client.createKey('editor')).key)
    await editor.want(200, 'PATCH', `/api/v1/schedules/${id}`, { body: { paused: true } })
    await editor.want(204, 'DELETE', `/api/v1/schedules/${id}`)
    expectProblem(await client.call('GET', `/api/v1/schedules/${id}`), 'deleted', 404)
  })
})

test('schedules are listed newest first, page by page, of one workflow or of all', async () => {
  const [first, second] = [await workflow(), await workflow()]
  const made: string[] = []
  for (const name of [first, second, first]) made.unshift((await create({ workflow: name, cron: hourly })).id)
  expect((await client.all<Schedule>('/api/v1/schedules', 1)).map(({ id }) => id)).toEqual(made)
  const ofFirst = await client.all<Schedule>(`/api/v1/schedules?workflow=${first}`)
  expect(ofFirst.map(({ id }) => id)).toEqual([made[0], made[2]])
})

test('an Idempotency-Key makes one schedule; every change is in the audit log', async () => {
  const body = { workflow: await workflow(), cron: hourly, paused: true }
  const headers = { 'idempotency-key': randomUUID() }
  const first = await client.want<Schedule>(201, 'POST', '/api/v1/schedules', { body, headers })
  const again = await client.call<Schedule>('POST', '/api/v1/schedules', { body, headers })
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.body.id).toBe(first.id)
  const other = await client.call('POST', '/api/v1/schedules', { body: { ...body, cron: '1 * * * *' }, headers })
  expectProblem(other, 'another body', 409, 'idempotency_conflict')
  expect((await client.get<Page<Schedule>>('/api/v1/schedules')).items).toHaveLength(1)
  await change(first.id, { paused: false })
  await change(first.id, { cron: '5 * * * *' })
  await client.want(204, 'DELETE', `/api/v1/schedules/${first.id}`)
  const actions = await waitFor(async () => {
    const entries = await client.all<{ action: string; actor: string }>(
      `/api/v1/audit?target=${encodeURIComponent(`schedule:${first.id}`)}`,
    )
    return entries.length >= 4 ? entries.reverse() : undefined
  })
  expect(actions.map(({ action }) => action)).toEqual([
    'schedule.created',
    'schedule.resumed',
    'schedule.updated',
    'schedule.deleted',
  ])
  expect(new Set(actions.map(({ actor }) => actor))).toEqual(new Set([`user:${account.id}`]))
})

test('a backfill starts one run for each tick of its range, and a second one none', async () => {
  const name = await workflow()
  const { id } = await create({ workflow: name, cron: '30 2 * * *', timezone: 'Europe/Berlin', paused: true })
  // Clocks go forward on the 29th: 02:30 is not there, and comes at 03:00.
  const range = { from: '2026-03-28T00:00:00Z', to: '2026-03-31T00:00:00Z' }
  const backfill = (body: object) =>
    client.call<{ ticks: number }>('POST', `/api/v1/schedules/${id}/backfill`, { body })
  expect(await backfill(range)).toMatchObject({ status: 202, body: { ticks: 3 } })
  await untilRuns(name, 3)
  expect(await backfill(range)).toMatchObject({ status: 202, body: { ticks: 3 } })
  const wider = { from: range.from, to: '2026-04-01T00:00:00Z' }
  expect(await backfill(wider)).toMatchObject({ status: 202, body: { ticks: 4 } })
  await untilRuns(name, 4)
  expect(await ticksOf(name)).toEqual([
    '2026-03-28T01:30:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
    '2026-03-31T00:30:00.000Z',
  ])
  await change(id, { cron: everySecond })
  expectProblem(await backfill(range), 'too many', 422, 'backfill_too_large')
  expectProblem(await backfill({ from: range.to, to: range.from }), 'backwards', 422)
  expectProblem(await backfill({ from: 'soon', to: range.to }), 'no time', 422)
})

test('when its workflow is gone a tick fails and says why', async () => {
  const name = await workflow()
  const { id } = await create({ workflow: name, cron: everySecond })
  await untilRuns(name, 1)
  await client.want(204, 'DELETE', `/api/v1/workflows/${name}`)
  const { lastError } = await waitFor(
    async () => {
      const found = await get(id)
      return found.lastError ? found : undefined
    },
    { timeoutMs: 20_000 },
  )
  expect(lastError).toMatchObject({ code: 'workflow_not_found', tick: expect.stringMatching(/\.000Z$/) })
})

test.runIf(targetIsOwn)('kill -9 in the middle loses no tick and repeats none', async () => {
  const name = await workflow()
  const { id } = await create({ workflow: name, cron: everySecond, catchup: 'all' })
  await untilRuns(name, 2)
  await target.standalone?.crash()
  await target.standalone?.start()
  client = await login(target, account)
  const restarted = new Date().toISOString()
  const { lastTickAt } = await waitFor(
    async () => {
      const found = await get(id)
      return (found.lastTickAt ?? '') > restarted ? found : undefined
    },
    { timeoutMs: 30_000, intervalMs: 100, what: 'a tick after the restart' },
  )
  await change(id, { paused: true })
  const ticks = (await ticksOf(name)).filter((tick) => tick <= (lastTickAt ?? ''))
  const first = Date.parse(ticks[0] ?? '')
  expect(ticks.length).toBeGreaterThan(3)
  expect(ticks).toEqual(ticks.map((_, i) => new Date(first + i * 1000).toISOString()))
})

describe('in words and at intervals', () => {
  test('a schedule has a name, a nickname or an interval in place of five fields, and changes from one to the other', async () => {
    const name = await workflow()
    const daily = await create({ workflow: name, cron: '@daily', name: 'Every night' })
    expect(daily).toMatchObject({ name: 'Every night', cron: '@daily', every: null })
    const { items } = await client.get<{ items: string[] }>(`/api/v1/schedules/${daily.id}/next?n=2`)
    expect(items.every((tick) => tick.endsWith('T00:00:00.000Z'))).toBe(true)
    expect(await change(daily.id, { every: '15m', name: '' })).toMatchObject({ name: null, cron: null, every: '15m' })
    expect(await change(daily.id, { paused: true })).toMatchObject({ cron: null, every: '15m' })
    expect(await change(daily.id, { cron: '@hourly' })).toMatchObject({ cron: '@hourly', every: null })
    const refused = [
      { workflow: name },
      { workflow: name, cron: '@hourly', every: '1h' },
      { workflow: name, cron: '@every 1h' },
      { workflow: name, cron: '@reboot' },
      { workflow: name, every: '10ms' },
      { workflow: name, every: 'now and then' },
    ]
    for (const body of refused) {
      expectProblem(await client.call('POST', '/api/v1/schedules', { body }), JSON.stringify(body), 422)
    }
  })

  test('an interval starts runs', async () => {
    const name = await workflow()
    const { id } = await create({ workflow: name, every: '1s' })
    await untilRuns(name, 2)
    await change(id, { paused: true })
    const ticks = await ticksOf(name)
    expect(new Set(ticks).size).toBe(ticks.length)
  })

  test('a run can be asked for at once, and a backfill looked at before it is made', async () => {
    const name = await workflow()
    const { id } = await create({ workflow: name, cron: '0 * * * *', input: { a: 1 }, paused: true })
    const path = `/api/v1/schedules/${id}`
    const run = await client.want<RunSummary>(202, 'POST', `${path}/run`)
    expect((await client.ended(run.id)).tasks[0]?.output).toEqual({ a: 1 })
    expect(run.labels).toEqual({ schedule: id })
    const preview = `${path}/backfill/preview?from=2026-01-01T00:30:00Z&to=2026-01-01T04:00:00Z`
    expect(await client.get(preview)).toEqual({
      count: 3,
      first: '2026-01-01T01:00:00.000Z',
      last: '2026-01-01T03:00:00.000Z',
    })
    const nothing = `${path}/backfill/preview?from=2026-01-01T00:10:00Z&to=2026-01-01T00:20:00Z`
    expect(await client.get(nothing)).toEqual({ count: 0, first: null, last: null })
    expect((await runsOf(name)).length).toBe(1)
    expectProblem(await client.call('GET', `${path}/backfill/preview?from=2026-01-01T00:00:00Z`), 'without to', 422)
    const stranger = (await newUser(target)).client
    expectProblem(await stranger.call('GET', preview), 'of another project', 404)
    expectProblem(await stranger.call('POST', `${path}/run`), 'of another project', 404)
  })
})
