import { describe, expect, it } from 'vitest'
import { assessEndpoint, healthy } from './endpoint-health.js'

const policy = { afterFailures: 3, afterMs: 1000 }
const at = (ms: number) => new Date(ms)

describe('endpoint health', () => {
  it('remembers since when it fails and counts only deliveries that finally failed', () => {
    const first = assessEndpoint(healthy, { ok: false, final: false, gone: false }, policy, at(10))
    expect(first).toEqual({ health: { failedInARow: 0, failingSince: at(10) } })
    const second = assessEndpoint(first.health, { ok: false, final: true, gone: false }, policy, at(20))
    expect(second).toEqual({ health: { failedInARow: 1, failingSince: at(10) } })
  })

  it('forgets everything at one success', () => {
    const sick = { failedInARow: 2, failingSince: at(0) }
    expect(assessEndpoint(sick, { ok: true, final: false, gone: false }, policy, at(9999))).toEqual({ health: healthy })
  })

  it.each([
    ['too_many_failures', { failedInARow: 2, failingSince: at(0) }, { ok: false, final: true, gone: false }, at(10)],
    ['failing_too_long', { failedInARow: 0, failingSince: at(0) }, { ok: false, final: false, gone: false }, at(1000)],
    ['endpoint_gone', healthy, { ok: false, final: true, gone: true }, at(0)],
  ])('disables: %s', (reason, health, signal, now) => {
    expect(assessEndpoint(health, signal, policy, now).disable).toBe(reason)
  })
})
