import { describe, expect, it } from 'vitest'
import { auditFiltersOf, auditQueryOf, toggleOutcome } from './audit-filters'

describe('filters of the audit log', () => {
  it('come from the address, without blanks, other names and outcomes that do not exist', () => {
    expect(auditFiltersOf({ view: 'audit', actor: ' ada ', action: ' ', outcome: 'denied,nonsense' })).toEqual({
      actor: 'ada',
      outcome: 'denied',
    })
    expect(auditFiltersOf({ outcome: 'nonsense' })).toEqual({})
  })

  it('toggle outcomes in one fixed order', () => {
    expect(toggleOutcome({ outcome: 'failure' }, 'success')).toBe('success,failure')
    expect(toggleOutcome({ outcome: 'failure' }, 'failure')).toBeUndefined()
  })

  it('become a query of the API: outcomes as a list, a span as a time', () => {
    const now = Date.parse('2026-01-02T00:00:00.000Z')
    expect(auditQueryOf({ action: 'api_key.created', outcome: 'denied', from: '24h' }, now)).toEqual({
      action: ['api_key.created'],
      outcome: ['denied'],
      from: '2026-01-01T00:00:00.000Z',
    })
    expect(auditQueryOf({}, now)).toEqual({})
  })
})
