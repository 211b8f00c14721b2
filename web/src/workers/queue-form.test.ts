import { describe, expect, it } from 'vitest'
import { changeOf, draftOf, faultsOf } from './queue-form'
import type { Queue } from './worker-queries'

const queue: Queue = {
  name: 'default',
  paused: false,
  depth: 0,
  running: 0,
  parked: 0,
  oldestAgeMs: 0,
  concurrency: 5,
  rateLimit: { limit: 10, per: '1s' },
  weight: null,
  profile: null,
  defaults: { timeout: '30s', retry: { maxAttempts: 3, backoff: 'linear' } },
  workers: [],
  updatedAt: null,
}

describe('the form of a queue', () => {
  it('changes nothing when nothing was typed', () => {
    expect(changeOf(queue, draftOf(queue))).toEqual({})
    expect(faultsOf(draftOf(queue))).toEqual({})
    // The span beside an empty limit is only a proposal.
    const bare = { ...queue, rateLimit: null }
    expect(changeOf(bare, { ...draftOf(bare), ratePer: '1h' })).toEqual({})
  })

  it('sends only what differs, and null for what was emptied', () => {
    expect(changeOf(queue, { ...draftOf(queue), concurrency: '', weight: '2.5' })).toEqual({
      concurrency: null,
      weight: 2.5,
    })
    expect(changeOf(queue, { ...draftOf(queue), rateLimit: '' })).toEqual({ rateLimit: null })
    expect(changeOf(queue, { ...draftOf(queue), ratePer: '1m' })).toEqual({ rateLimit: { limit: 10, per: '1m' } })
    expect(changeOf(queue, { ...draftOf(queue), profile: 'batch' })).toEqual({ profile: 'batch' })
  })

  it('keeps retry settings that it does not show', () => {
    expect(changeOf(queue, { ...draftOf(queue), maxAttempts: '', timeout: '' })).toEqual({
      defaults: { retry: { backoff: 'linear' } },
    })
    const plain = { ...queue, defaults: { timeout: '30s' } }
    expect(changeOf(plain, { ...draftOf(plain), timeout: '' })).toEqual({ defaults: null })
  })

  it('names what cannot be sent', () => {
    const draft = { ...draftOf(queue), concurrency: '0', weight: 'x', ratePer: 'soon', timeout: '5 minutes' }
    expect(Object.keys(faultsOf(draft))).toEqual(['concurrency', 'ratePer', 'weight', 'timeout'])
    expect(faultsOf({ ...draftOf(queue), concurrency: '1.5' })).toHaveProperty('concurrency')
    expect(faultsOf({ ...draftOf(queue), rateLimit: '', ratePer: '' })).toEqual({})
  })
})
