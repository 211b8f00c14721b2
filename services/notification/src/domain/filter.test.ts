import { describe, expect, it } from 'vitest'
import { matchesFilter } from './filter.js'

const completed = { type: 'workflow.completed', workflow: 'a', status: 'failed', labels: { team: 'shop' } } as const

describe('filter', () => {
  it.each([
    [{}, true],
    [{ workflow: 'a' }, true],
    [{ workflow: 'A' }, false],
    [{ status: ['failed'] }, true],
    [{ status: ['succeeded'] }, false],
    [{ labels: {} }, true],
    [{ labels: { team: 'shop' } }, true],
    [{ labels: { team: 'ops' } }, false],
    [{ labels: { constructor: 'x' } }, false],
    [{ labels: { toString: 'x' } }, false],
    [{ workflow: 'a', status: ['failed'], labels: { team: 'shop', env: 'prod' } }, false],
  ])('%j → %j', (filter, verdict) => {
    expect(matchesFilter(filter as Parameters<typeof matchesFilter>[0], completed)).toBe(verdict)
  })

  it('holds only ended runs to a status, and every event to labels', () => {
    const approval = { type: 'approval.requested', workflow: 'a', labels: { team: 'shop' } } as const
    expect(matchesFilter({ status: ['failed'] }, approval)).toBe(true)
    expect(matchesFilter({ labels: { team: 'shop' } }, approval)).toBe(true)
    expect(matchesFilter({ labels: { team: 'ops' } }, approval)).toBe(false)
  })
})
