import { describe, expect, it } from 'vitest'
import type { RunSummary, Schedule } from '../api/types'
import { backfillRange, localInput } from './backfill-range'
import { formatTick, haveSeconds } from './format-tick'
import { bodyOf, emptyFields, faultsOf, fieldsOf, refusalsOf } from './schedule-form'
import { ticksOf } from './schedule-queries'

const schedule: Schedule = {
  ...{ id: 's1', name: null, workflow: 'orders', cron: null, every: '15m', timezone: 'Europe/Berlin', input: { a: 1 } },
  ...{ catchup: 'last', paused: true, nextAt: null, lastError: null },
  ...{ createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' },
}

describe('the form of a schedule', () => {
  it('gives back what it was given', () => {
    const { timezone, workflow, input, catchup, paused } = schedule
    expect(bodyOf(fieldsOf(schedule))).toEqual({
      ...{ name: '', every: '15m', timezone, workflow, input, catchup, paused },
    })
  })
  it('sends cron or every, never both', () => {
    const body = bodyOf({ ...fieldsOf(schedule), kind: 'cron', timing: ' @daily ' })
    expect(body).toMatchObject({ cron: '@daily' })
    expect(body).not.toHaveProperty('every')
  })
  it('says what is missing, and nothing of what is not', () => {
    expect(Object.keys(faultsOf({ ...emptyFields('', 'UTC'), input: '{' }))).toEqual(['workflow', 'timing', 'input'])
    expect(faultsOf(fieldsOf(schedule))).toEqual({})
  })
  it('shows a refusal at its field', () => {
    const errors = [
      { path: '/cron', code: 'invalid_cron', message: 'never comes due' },
      { path: '/input/total', code: 'type', message: 'must be number' },
      { path: '/elsewhere', code: 'x', message: 'unknown' },
    ]
    const problem = { title: 'Unprocessable', status: 422, code: 'invalid_cron', errors }
    expect(refusalsOf(problem)).toEqual({ timing: 'never comes due', input: 'total: must be number' })
    expect(refusalsOf(undefined)).toEqual({})
  })
})

describe('the range of a backfill', () => {
  it('is that of the fields, in the reader’s zone', () => {
    const [from, to] = [Date.UTC(2026, 2, 1, 10, 30), Date.UTC(2026, 2, 2)]
    expect(backfillRange(localInput(from), localInput(to))).toEqual({
      range: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    })
  })
  it('is none while a field is empty, and a fault when it ends before it begins', () => {
    expect(backfillRange('', '2026-01-01T00:00')).toEqual({})
    expect(backfillRange('2026-01-01T00:00', '2026-01-01T00:00').fault).toMatch(/after the beginning/)
  })
})

describe('a tick on screen', () => {
  it('is in the zone that is asked for, with its day of the week', () => {
    expect(formatTick('2026-03-02T01:30:00Z', 'Europe/Berlin', 2026)).toBe('Mon 2 Mar, 02:30')
    expect(formatTick('2026-03-02T01:30:00Z', 'America/New_York', 2026)).toBe('Sun 1 Mar, 20:30')
  })
  it('says the year where it is another, and seconds where there are any', () => {
    expect(formatTick('2026-12-31T23:30:15Z', 'Europe/Berlin', 2026)).toMatch(/^Fri,? 1 Jan 2027, 00:30:15$/)
  })
  it('has seconds in every row or in none', () => {
    const ticks = ['2026-03-02T06:49:55Z', '2026-03-02T06:50:00Z']
    const rows = ticks.map((tick) => formatTick(tick, 'UTC', 2026, haveSeconds(ticks)))
    expect(rows).toEqual(['Mon 2 Mar, 06:49:55', 'Mon 2 Mar, 06:50:00'])
    expect(haveSeconds(['2026-03-02T06:50:00Z'])).toBe(false)
  })
})

it('draws only runs that the schedule itself started', () => {
  const run = (id: string, startedBy: RunSummary['startedBy']) => ({ id, startedBy }) as RunSummary
  const runs = [
    run('a', { type: 'schedule', id: 's1' }),
    run('b', { type: 'schedule', id: 's2' }),
    run('c', { type: 'user', id: 's1' }),
    run('d', null),
  ]
  expect(ticksOf(runs, 's1').map(({ id }) => id)).toEqual(['a'])
})
