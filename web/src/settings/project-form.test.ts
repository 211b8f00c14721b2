import { describe, expect, it } from 'vitest'
import { changeOf, draftOf, faultsOf, quotasInWords } from './project-form'

const project = { id: '1', slug: 'shop', name: 'Shop', retention: '30d' }

describe('the form of a project', () => {
  it('sends only what differs, and null for the platform’s retention', () => {
    expect(changeOf(project, draftOf(project))).toEqual({})
    expect(changeOf(project, { name: ' Store ', retention: '30d' })).toEqual({ name: 'Store' })
    expect(changeOf(project, { name: 'Shop', retention: '' })).toEqual({ retention: null })
    expect(changeOf({ ...project, retention: null }, { name: 'Shop', retention: '0' })).toEqual({ retention: '0' })
    const bounded = { ...project, retention: { age: '30d', runs: 500 } }
    expect(changeOf(bounded, { name: 'Shop', retention: '30d 500 runs' })).toEqual({})
    expect(changeOf(project, { name: 'Shop', retention: '9 runs' })).toEqual({ retention: { runs: 9 } })
  })

  it('names what cannot be sent', () => {
    expect(faultsOf({ name: ' ', retention: '30 days' })).toEqual({
      name: expect.any(String),
      retention: expect.any(String),
    })
    expect(faultsOf({ name: 'Shop', retention: '0' })).toEqual({})
    expect(faultsOf({ name: 'Shop', retention: '0d' })).toHaveProperty('retention')
  })

  it('says quotas in words, and leaves out those it was not given', () => {
    expect(quotasInWords({ quotas: { runsPerDay: null, storageBytes: 53_687_091_200, schedules: 10_000 } })).toEqual([
      { label: 'Runs a day', words: 'unlimited', share: undefined },
      { label: 'Storage', words: '50 GiB', share: undefined },
      { label: 'Schedules', words: '10,000', share: undefined },
    ])
    const used = quotasInWords({ quotas: { runsPerDay: null, schedules: 10 } }, { runsPerDay: 7, schedules: 8 })
    expect(used.map(({ words, share }) => [words, share])).toEqual([
      ['7 of unlimited', undefined],
      ['8 of 10', 0.8],
    ])
    expect(quotasInWords({})).toEqual([])
  })
})
