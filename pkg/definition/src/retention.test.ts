import { expect, test } from 'vitest'
import { parseRetention } from './retention.js'

test.each([
  ['30d', { keepMs: 30 * 86_400_000, keepRuns: null }],
  ['PT1H', { keepMs: 3_600_000, keepRuns: null }],
  [0, { keepMs: 0, keepRuns: 0 }],
  ['0', { keepMs: 0, keepRuns: 0 }],
  [{ runs: 100 }, { keepMs: null, keepRuns: 100 }],
  [
    { age: '1d', runs: 5 },
    { keepMs: 86_400_000, keepRuns: 5 },
  ],
  ['0s', { keepMs: null, keepRuns: null }],
  ['soon', { keepMs: null, keepRuns: null }],
  [null, { keepMs: null, keepRuns: null }],
  [{ runs: -1 }, { keepMs: null, keepRuns: null }],
])('%j', (written, rule) => expect(parseRetention(written)).toEqual(rule))
