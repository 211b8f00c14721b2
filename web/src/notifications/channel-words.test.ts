import { describe, expect, it } from 'vitest'
import { addressOf, filterInWords, offInWords, stateOf } from './channel-words'
import type { Subscription } from './notification-queries'

const subscription = {
  channel: { type: 'email', to: ['a@example.test', 'b@example.test'] },
  enabled: true,
  disabledReason: null,
} as Subscription

describe('a subscription in words', () => {
  it('names every address', () => expect(addressOf(subscription)).toBe('a@example.test, b@example.test'))

  it('names what it is about', () => {
    expect(filterInWords(subscription)).toBe('every run')
    const filter = { workflow: 'orders', status: ['failed' as const, 'cancelled' as const], labels: { team: 'shop' } }
    expect(filterInWords({ ...subscription, filter })).toBe('orders, failed or cancelled, team=shop')
  })

  it('tells a pause by a person from an endpoint that was given up', () => {
    expect([stateOf(subscription), offInWords(subscription)]).toEqual(['active', undefined])
    const paused = { ...subscription, enabled: false, disabledReason: 'by_request' }
    expect([stateOf(paused), offInWords(paused)]).toEqual(['paused', 'paused'])
    const gone = { ...subscription, enabled: false, disabledReason: 'endpoint_gone' }
    expect(stateOf(gone)).toBe('failing')
    expect(offInWords(gone)).toContain('gone')
  })
})
