import { describe, expect, it } from 'vitest'
import { fromTime } from '../ui/time-span'
import { filtersOf, toggleStatus } from './run-filters'

describe('filters of the runs list', () => {
  it('come from the address, without what is no filter and no status', () => {
    expect(filtersOf({ status: 'failed,nonsense', q: 'x', other: 'y', label: '' })).toEqual({
      status: 'failed',
      q: 'x',
    })
    expect(filtersOf({ status: 'nonsense' })).toEqual({})
  })

  it('are toggled in one fixed order, so that the same choice is the same address', () => {
    expect(toggleStatus(toggleStatus({}, 'failed'), 'queued')).toEqual({ status: 'queued,failed' })
    expect(toggleStatus({ status: 'failed', q: 'x' }, 'failed')).toEqual({ q: 'x' })
  })

  it('take a span before now, or a time', () => {
    const now = Date.parse('2026-01-02T00:00:03.456Z')
    expect(fromTime('24h', now)).toBe('2026-01-01T00:00:00.000Z')
    expect(fromTime('2025-12-01T00:00:00.000Z', now)).toBe('2025-12-01T00:00:00.000Z')
    expect(fromTime(undefined, now)).toBeUndefined()
  })
})
