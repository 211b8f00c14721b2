import { AppError } from '@millrace/errors'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCadence, planTicks, ticksBetween } from './schedule.js'

const at = (text: string) => new Date(text.endsWith('Z') ? text : `${text}Z`)

function upcoming(cron: string, timezone: string, from: string, count: number): string[] {
  const cadence = parseCadence(cron, timezone)
  const ticks: string[] = []
  let tick: Date | undefined = at(from)
  while (ticks.length < count) {
    tick = cadence.next(tick as Date)
    ticks.push(tick?.toISOString().slice(0, 16) ?? 'none')
  }
  return ticks
}

describe('a cron expression', () => {
  test('has five fields, or six with seconds first', () => {
    expect(upcoming('*/20 * * * *', 'UTC', '2026-01-01T00:00', 3)).toEqual([
      '2026-01-01T00:20',
      '2026-01-01T00:40',
      '2026-01-01T01:00',
    ])
    const seconds = parseCadence('*/30 * * * * *', 'UTC')
    expect(seconds.next(at('2026-01-01T00:00:29.999'))).toEqual(at('2026-01-01T00:00:30'))
    expect(seconds.next(at('2026-01-01T00:00:30'))).toEqual(at('2026-01-01T00:01:00'))
  })

  test.each([
    '',
    '* * * *',
    '* * * * * * *',
    '@reboot',
    '@Daily',
    '@daily ',
    '@everyday',
    'constructor',
    '2030-01-01T00:00:00',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 9',
    'a b c d e',
    '*/0 * * * *',
    '5-1 * * * *',
    '0 0 30 2 *',
    '* * * * *\u0000',
    `${'1,'.repeat(100)}1 * * * *`,
  ])('%j is refused', (cron) => {
    expect(() => parseCadence(cron, 'UTC')).toThrow(
      expect.objectContaining({ code: 'unprocessable', reason: 'invalid_cron' }),
    )
  })

  test.each([
    ['@hourly', ['2026-01-01T01:00', '2026-01-01T02:00']],
    ['@daily', ['2026-01-02T00:00', '2026-01-03T00:00']],
    ['@weekly', ['2026-01-04T00:00', '2026-01-11T00:00']],
    ['@monthly', ['2026-02-01T00:00', '2026-03-01T00:00']],
    ['@yearly', ['2027-01-01T00:00', '2028-01-01T00:00']],
    ['@every 15m', ['2026-01-01T00:15', '2026-01-01T00:30']],
    ['@every 36h', ['2026-01-02T12:00', '2026-01-04T00:00']],
  ])('may be %s', (cron, ticks) => {
    expect(upcoming(cron, 'UTC', '2026-01-01T00:00', 2)).toEqual(ticks)
  })

  test.each(['@every ', '@every 0s', '@every 500ms', '@every 1500ms', '@every 15', '@every 367d', '@every -1m'])(
    '%j is no interval',
    (cron) => {
      expect(() => parseCadence(cron, 'UTC')).toThrow(expect.objectContaining({ reason: 'invalid_interval' }))
    },
  )

  test('an interval has the same ticks from wherever it is asked', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 4_000_000_000 }), (seconds, start) => {
        const cadence = parseCadence(`@every ${seconds}s`, 'UTC')
        const next = cadence.next(new Date(start))
        expect(next?.getTime()).toBeGreaterThan(start)
        expect(cadence.latest(new Date((next?.getTime() ?? 0) + seconds * 1000 - 1))).toEqual(next)
        expect(cadence.next(new Date((next?.getTime() ?? 0) - 1))).toEqual(next)
      }),
    )
  })

  test.each(['', 'Mars/Base', '+01:00', 'Europe/Berlin\u0000', '../UTC', 'x'.repeat(100)])(
    'time zone %j is refused',
    (timezone) => {
      let refused: unknown
      try {
        parseCadence('* * * * *', timezone)
      } catch (error) {
        refused = error
      }
      expect(refused).toBeInstanceOf(AppError)
      expect(refused).toMatchObject({ reason: 'invalid_timezone', fieldErrors: [{ path: '/timezone' }] })
    },
  )
})

describe('when clocks go forward', () => {
  test('a time of day that does not exist comes when the gap ends, once', () => {
    expect(upcoming('30 2 * * *', 'Europe/Berlin', '2026-03-27T12:00', 4)).toEqual([
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
      '2026-03-31T00:30',
    ])
    expect(upcoming('30 2 * * *', 'America/New_York', '2026-03-07T00:00', 3)).toEqual([
      '2026-03-07T07:30',
      '2026-03-08T07:00',
      '2026-03-09T06:30',
    ])
  })

  test('a day that has no midnight has its tick all the same', () => {
    expect(upcoming('0 0 * * *', 'America/Havana', '2026-03-07T12:00', 2)).toEqual([
      '2026-03-08T05:00',
      '2026-03-09T04:00',
    ])
  })

  test('what repeats goes on by real time', () => {
    expect(upcoming('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:15', 4)).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T01:00',
      '2026-03-29T01:30',
      '2026-03-29T02:00',
    ])
  })
})

describe('when clocks go back', () => {
  test('a time of day that comes twice has one tick, the first', () => {
    expect(upcoming('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ])
    expect(upcoming('30 1 * * *', 'America/New_York', '2026-10-31T12:00', 2)).toEqual([
      '2026-11-01T05:30',
      '2026-11-02T06:30',
    ])
  })

  test('what repeats goes on by real time', () => {
    expect(upcoming('0 * * * *', 'Europe/Berlin', '2026-10-24T22:30', 4)).toEqual([
      '2026-10-24T23:00',
      '2026-10-25T00:00',
      '2026-10-25T01:00',
      '2026-10-25T02:00',
    ])
    expect(upcoming('*/15 * * * *', 'Australia/Lord_Howe', '2026-04-04T14:30', 4)).toEqual([
      '2026-04-04T14:45',
      '2026-04-04T15:00',
      '2026-04-04T15:15',
      '2026-04-04T15:30',
    ])
  })
})

test('the latest tick is the one that looking forward finds last, also around changes of the clock', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Havana']
  const crons = ['30 2 * * *', '*/15 * * * *', '0 0 * * *', '0,30 1-2 * * *', '15 */20 * * * *', '0 3 * * 0']
  const changes = ['2026-03-29T01:00', '2026-10-25T01:00', '2026-03-08T07:00', '2026-11-01T06:00', '2026-04-04T15:00']
  const moment = fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -7_200_000, max: 7_200_000 }))
    .map(([change, offset]) => new Date(at(change).getTime() + offset))
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.constantFrom(...crons), moment, (zone, cron, now) => {
      const cadence = parseCadence(cron, zone)
      const latest = cadence.latest(now) as Date
      expect(latest <= now).toBe(true)
      const following = cadence.next(latest) as Date
      expect(following > now).toBe(true)
      expect(cadence.next(new Date(latest.getTime() - 1))).toEqual(latest)
    }),
    { numRuns: 300 },
  )
})

describe('planning', () => {
  const plan = (
    catchup: 'none' | 'last' | 'all',
    next: string,
    now: string,
    { cron = '0 * * * *', zone = 'UTC', max = 100 } = {},
  ) => {
    const planned = planTicks(parseCadence(cron, zone), catchup, at(next), at(now), max)
    const ticks = planned.ticks.map((tick) => `${tick.at.toISOString().slice(11, 19)}${tick.late ? ' late' : ''}`)
    return { ticks, next: planned.next?.toISOString().slice(0, 19) }
  }

  test.each(['none', 'last', 'all'] as const)('a tick that is on time fires: %s', (catchup) => {
    expect(plan(catchup, '2026-01-01T10:00:00', '2026-01-01T10:00:00.020')).toEqual({
      ticks: ['10:00:00'],
      next: '2026-01-01T11:00:00',
    })
    expect(plan(catchup, '2026-01-01T10:00:00', '2026-01-01T09:59:59.999')).toEqual({
      ticks: [],
      next: '2026-01-01T10:00:00',
    })
  })

  test.each(['none', 'last', 'all'] as const)('a short pause costs no tick: %s', (catchup) => {
    expect(plan(catchup, '2026-01-01T10:00:00', '2026-01-01T10:00:45').ticks).toEqual(['10:00:00'])
    const everySecond = { cron: '* * * * * *' }
    expect(plan(catchup, '2026-01-01T10:00:00', '2026-01-01T10:00:01.900', everySecond)).toEqual({
      ticks: ['10:00:00', '10:00:01'],
      next: '2026-01-01T10:00:02',
    })
  })

  test('none leaves out what was missed', () => {
    expect(plan('none', '2026-01-01T10:00:00', '2026-01-01T13:30:00')).toEqual({
      ticks: [],
      next: '2026-01-01T14:00:00',
    })
    expect(plan('none', '2026-01-01T10:00:00', '2026-01-01T13:00:10').ticks).toEqual(['13:00:00'])
  })

  test('last makes up for the last one alone', () => {
    expect(plan('last', '2026-01-01T10:00:00', '2026-01-01T13:30:00')).toEqual({
      ticks: ['13:00:00 late'],
      next: '2026-01-01T14:00:00',
    })
    expect(plan('last', '2026-01-01T10:00:00', '2026-01-01T13:00:10').ticks).toEqual(['13:00:00'])
    expect(plan('last', '2026-01-01T14:00:00', '2026-01-01T13:30:00').ticks).toEqual([])
  })

  test.each([
    ['none', '13:30:00', ['10:00:00', '13:00:00']],
    ['none', '13:00:10', ['10:00:00', '12:00:00']],
    ['none', '10:30:00', ['10:00:00', '10:00:00']],
    ['last', '13:30:00', ['10:00:00', '12:00:00']],
    ['last', '10:30:00', undefined],
    ['all', '13:30:00', undefined],
    ['none', '10:00:30', undefined],
    ['none', '09:00:00', undefined],
  ] as const)('%s at %s says what has no run: %j', (catchup, now, expected) => {
    const hourly = parseCadence('0 * * * *', 'UTC')
    const { missed } = planTicks(hourly, catchup, at('2026-01-01T10:00:00'), at(`2026-01-01T${now}`), 100)
    const time = (tick: Date) => tick.toISOString().slice(11, 19)
    expect(missed && [time(missed.first), time(missed.last)]).toEqual(expected)
  })

  test('all makes up for each, in bounded steps that leave none out', () => {
    const first = plan('all', '2026-01-01T10:00:00', '2026-01-01T13:30:00', { max: 3 })
    expect(first).toEqual({ ticks: ['10:00:00 late', '11:00:00 late', '12:00:00 late'], next: '2026-01-01T13:00:00' })
    expect(plan('all', first.next as string, '2026-01-01T13:30:00', { max: 3 })).toEqual({
      ticks: ['13:00:00 late'],
      next: '2026-01-01T14:00:00',
    })
  })

  test('all across a change of the clock has each hour once', () => {
    const berlin = { zone: 'Europe/Berlin' }
    expect(plan('all', '2026-10-25T00:00:00', '2026-10-25T03:30:00', berlin).ticks).toHaveLength(4)
    expect(plan('all', '2026-03-29T00:00:00', '2026-03-29T03:30:00', berlin).ticks).toHaveLength(4)
  })

  test.each(['none', 'last'] as const)('a year of missed seconds is planned at once: %s', (catchup) => {
    const started = performance.now()
    const { ticks } = plan(catchup, '2025-01-01T00:00:00', '2026-01-01T00:00:00.500', { cron: '* * * * * *' })
    expect(ticks).toEqual(['23:59:59', '00:00:00'])
    expect(performance.now() - started).toBeLessThan(1000)
  })
})

test('a range of ticks holds its start and not its end', () => {
  const ticks = [...ticksBetween(parseCadence('0 * * * *', 'UTC'), at('2026-01-01T00:00'), at('2026-01-01T03:00'))]
  expect(ticks.map((tick) => tick.toISOString().slice(11, 16))).toEqual(['00:00', '01:00', '02:00'])
})
