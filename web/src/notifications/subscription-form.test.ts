import { describe, expect, it } from 'vitest'
import { bodyOf, draftOf, emptyDraft, faultsOf, pairsOf, updateOf } from './subscription-form'

const webhook = { ...emptyDraft, url: ' https://shop.example/hook ' }

describe('the form of a subscription', () => {
  it('sends only what was given', () => {
    expect(bodyOf(webhook)).toEqual({
      events: ['workflow.failed'],
      channel: { type: 'webhook', url: 'https://shop.example/hook' },
    })
  })

  it('reads headers, labels and addresses line by line', () => {
    const draft = { ...webhook, headers: 'X-Team: shop\n\nX-At: 12:30', labels: 'team=a=b', workflow: 'orders' }
    expect(faultsOf(draft)).toEqual({})
    expect(bodyOf(draft)).toMatchObject({
      channel: { headers: { 'X-Team': 'shop', 'X-At': '12:30' } },
      filter: { workflow: 'orders', labels: { team: 'a=b' } },
    })
    expect(bodyOf({ ...emptyDraft, type: 'email', to: 'a@example.test, b@example.test\n', digest: '15m' })).toEqual({
      events: ['workflow.failed'],
      channel: { type: 'email', to: ['a@example.test', 'b@example.test'] },
      digest: { every: '15m' },
    })
    expect(pairsOf('no separator', ':')).toBeUndefined()
  })

  it('leaves out what belongs to another channel', () => {
    const draft = { ...webhook, to: 'a@example.test', headers: 'no header', digest: '1h', type: 'slack' as const }
    expect(faultsOf(draft)).toEqual({})
    expect(bodyOf(draft)).toEqual({
      events: ['workflow.failed'],
      channel: { type: 'slack', url: 'https://shop.example/hook' },
    })
  })

  it('names what cannot be sent', () => {
    const draft = { ...emptyDraft, url: 'javascript:alert(1)', events: [], headers: 'x', labels: '=v' }
    expect(Object.keys(faultsOf(draft))).toEqual(['url', 'headers', 'events', 'labels'])
    expect(faultsOf({ ...emptyDraft, type: 'email' })).toHaveProperty('to')
  })

  it('comes back from a subscription as it was typed, and takes away what was emptied', () => {
    const draft = { ...emptyDraft, url: 'https://shop.example/hook', headers: 'X-Team: shop', labels: 'team=shop' }
    const saved = { ...bodyOf(draft), id: '1' } as Parameters<typeof draftOf>[0]
    expect(draftOf(saved)).toEqual(draft)
    expect(updateOf({ ...draft, labels: '' })).toMatchObject({ filter: null })
    expect(updateOf({ ...draft, labels: '' })).not.toHaveProperty('digest')
    expect(updateOf({ ...draft, type: 'email', to: 'a@example.test' })).toMatchObject({ digest: null })
  })
})
