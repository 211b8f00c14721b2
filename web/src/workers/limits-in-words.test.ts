import { expect, it } from 'vitest'
import { limitsInWords } from './limits-in-words'

it('says the limits of a queue in words', () => {
  expect(limitsInWords({ concurrency: null, rateLimit: null })).toBe('none')
  expect(limitsInWords({ concurrency: 3, rateLimit: null })).toBe('3 at once')
  expect(limitsInWords({ concurrency: 1000, rateLimit: { limit: 5, per: '1m' } })).toBe('1,000 at once, 5 per 1m')
})
