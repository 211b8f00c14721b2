import { describe, expect, it } from 'vitest'
import { safeTarget } from '../session/after-sign-in'
import { formatBytes, formatDuration, formatRelative, withLocalTimes } from './format'
import { piecesOf } from './json'
import { steady } from './use-steady-list'

describe('durations, times and sizes', () => {
  it.each([
    [-5, '0 ms'],
    [999, '999 ms'],
    [9_960, '9.9 s'],
    [59_900, '59 s'],
    [61_000, '1 m 01 s'],
    [3_660_000, '1 h 01 m'],
    [90_000_000, '1 d 1 h'],
  ])('%i ms is %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

  it('says when relative to now, before and after', () => {
    expect(formatRelative(1_000, 1_900)).toBe('now')
    expect(formatRelative(0, 65_000)).toBe('1 m ago')
    expect(formatRelative(7_200_000, 0)).toBe('in 2 h')
    expect(formatRelative(0, 90_000_000)).toBe('1 d ago')
  })

  it('writes the times in a sentence as the reader’s clock shows them', () => {
    expect(withLocalTimes('the run starts at 2026-11-18T17:02:12.974Z', 'Europe/Berlin')).toBe(
      'the run starts at 18 Nov 2026, 18:02:12',
    )
    expect(withLocalTimes('waits for build')).toBe('waits for build')
  })

  it('writes sizes in steps of 1,024', () => {
    expect([0, 1_023, 1_536, 5 * 1_048_576].map(formatBytes)).toEqual(['0 B', '1023 B', '1.5 KiB', '5.0 MiB'])
  })
})

describe('a list that does not move under the pointer', () => {
  const rows = (...ids: string[]) => ids.map((id) => ({ id }))
  it('changes in place and counts what is new', () => {
    expect(steady(rows('b', 'a'), rows('d', 'c', 'b', 'a'), true)).toEqual({ items: rows('b', 'a'), held: 2 })
  })
  it('takes in what was read by scrolling, and drops what is gone', () => {
    expect(steady(rows('c', 'b'), rows('d', 'b', 'a'), true)).toEqual({ items: rows('b', 'a'), held: 1 })
  })
  it('shows all when nobody points, and a list that is new altogether', () => {
    expect(steady(rows('a'), rows('b', 'a'), false)).toEqual({ items: rows('b', 'a'), held: 0 })
    expect(steady(rows('a'), rows('z'), true)).toEqual({ items: rows('z'), held: 0 })
  })
})

describe('JSON on screen', () => {
  it('loses no character of it', () => {
    const text = JSON.stringify({ 'a"b': [1, -2.5e3, true, null, '<script>alert(1)</script>\\"'] }, null, 2)
    expect(
      piecesOf(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text)
    expect(piecesOf('{"k": "v"}').map((piece) => piece.kind)).toContain('json-key')
  })
})

describe('where one goes after signing in', () => {
  it.each(['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '/sign-in?to=/x', ''])(
    'is never %s',
    (to) => {
      expect(safeTarget(to)).toBe('/')
    },
  )
  it('is a page of the console', () => expect(safeTarget('/p/x/runs?status=failed')).toBe('/p/x/runs?status=failed'))
})
