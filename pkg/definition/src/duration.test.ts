import { expect, it } from 'vitest'
import { parseDuration } from './duration.js'

it.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['5m', 300_000],
  ['1h', 3_600_000],
  ['2d', 172_800_000],
  ['1.5s', 1_500],
  ['0s', 0],
  ['PT30S', 30_000],
  ['PT1H30M', 5_400_000],
  ['P1DT12H', 129_600_000],
  ['P2W', 1_209_600_000],
  ['PT0.5S', 500],
])('reads %s', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

it.each(['', '5', 's', '-5s', '5 s', '1y', 'P', 'PT', 'P1DT', 'P1Y', 'P1M', '999999d', '1e9s', '5S', 'PT5', '1h30m'])(
  'refuses %j',
  (text) => {
    expect(parseDuration(text)).toBeUndefined()
  },
)
