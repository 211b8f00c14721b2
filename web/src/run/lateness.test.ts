import { parseDuration } from '@millrace/definition/duration'
import { describe, expect, test } from 'vitest'
import { lateMs } from './lateness'

const at = (seconds: number) => new Date(seconds * 1_000).toISOString()

describe('a duration as definitions write it', () => {
  test.each([
    ['500ms', 500],
    ['1.5h', 5_400_000],
    ['2d', 172_800_000],
    ['PT10M', 600_000],
    ['P1DT1.5S', 86_401_500],
    ['P1W', 604_800_000],
  ])('%s is %i ms', (text, ms) => expect(parseDuration(text)).toBe(ms))
  test.each(['', '10', 'P', 'PT', 'P1M', '10 m', '-5s'])('%j is none', (text) =>
    expect(parseDuration(text)).toBeUndefined(),
  )
})

describe('a late run', () => {
  const run = { createdAt: at(0), startedAt: at(10), finishedAt: null, expectedDuration: '1m' }
  test('has begun and not ended in time', () => {
    expect(lateMs(run, 70_000)).toBeUndefined()
    expect(lateMs(run, 71_000)).toBe(1_000)
  })
  test('has ended too late, however long ago', () => {
    expect(lateMs({ ...run, finishedAt: at(75) }, 1e12)).toBe(5_000)
    expect(lateMs({ ...run, finishedAt: at(69) }, 1e12)).toBeUndefined()
  })
  test('has not begun in time, counted from when it may', () => {
    expect(lateMs({ ...run, startedAt: null }, 61_000)).toBe(1_000)
    expect(lateMs({ ...run, startedAt: null, runAt: at(3_600) }, 61_000)).toBeUndefined()
  })
  test('is never one of which nothing is expected', () => {
    expect(lateMs({ createdAt: at(0), startedAt: at(0), finishedAt: null }, 1e12)).toBeUndefined()
  })
})
