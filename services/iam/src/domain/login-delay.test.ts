import { expect, test } from 'vitest'
import { loginDelayMs } from './login-delay.js'

test('the first failures cost nothing, later ones twice as much each, and none more than the most', () => {
  const delays = [0, 4, 5, 6, 9, 10, 1000].map((failures) => loginDelayMs(failures, 2000))
  expect(delays).toEqual([0, 0, 100, 200, 1600, 2000, 2000])
})
