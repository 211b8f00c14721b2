import { describe, expect, it } from 'vitest'
import { changeOf, draftOf, faultsOf, quotasInWords } from './project-form'

const project = { id: '1', slug: 'shop', name: 'Shop', retention: '30d' }

describe('the form of a project', () => {
  it('sends only what differs, and null for the platform’s retention', () => {
    expect(changeOf(project, draftOf(project))).toEqual({})
    expect(changeOf(project, { name: ' Store ', retention: '30d' })).toEqual({ name: 'Store' })
    expect(changeOf(project, { name: 'Shop', retention: '' })).toEqual({ retention: null })
    expect(changeOf({ ...project, retention: null }, { name: 'Shop', retention: '0' })).toEqual({ retention: '0' })
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
      ['Runs a day', 'unlimited'],
      ['Storage', '50 GiB'],
      ['Schedules', '10,000'],
    ])
    expect(quotasInWords({})).toEqual([])
  })
})
