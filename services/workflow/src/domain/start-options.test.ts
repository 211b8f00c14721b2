import { describe, expect, it } from 'vitest'
import { startTimeOf } from './start-options.js'

const now = new Date('2026-03-01T12:00:00.000Z')

describe('startTimeOf', () => {
  it.each([
    [{}, undefined],
    [{ hold: true }, undefined],
    [{ delaySeconds: 0 }, undefined],
    [{ delaySeconds: 1.5 }, '2026-03-01T12:00:01.500Z'],
    [{ runAt: '2026-03-01T11:59:59Z' }, undefined],
    [{ runAt: '2026-03-01T14:00:00+01:00' }, '2026-03-01T13:00:00.000Z'],
  ])('%j starts at %s', (options, at) => {
    expect(startTimeOf(options, now)?.toISOString()).toBe(at)
  })

  it.each([
    { delaySeconds: 1, runAt: '2026-03-01T13:00:00Z' },
    { hold: true, delaySeconds: 1 },
    { runAt: '9999-01-01T00:00:00Z' },
  ])('refuses %j', (options) => {
    expect(() => startTimeOf(options, now)).toThrow('not valid')
  })
})
