export interface EndpointHealth {
  failedInARow: number
  failingSince: Date | null
}

export interface DisablePolicy {
  /** Deliveries that finally failed, one after another. */
  afterFailures: number
  /** No success for this long while tries were made. */
  afterMs: number
}

export interface HealthSignal {
  ok: boolean
  /** The delivery has no try left. */
  final: boolean
  gone: boolean
}

export const healthy: EndpointHealth = { failedInARow: 0, failingSince: null }

export type DisableReason = 'endpoint_gone' | 'too_many_failures' | 'failing_too_long'

export function assessEndpoint(
  health: EndpointHealth,
  signal: HealthSignal,
  policy: DisablePolicy,
  now: Date,
): { health: EndpointHealth; disable?: DisableReason } {
  if (signal.ok) return { health: healthy }
  const next: EndpointHealth = {
    failedInARow: health.failedInARow + (signal.final ? 1 : 0),
    failingSince: health.failingSince ?? now,
  }
  if (signal.gone) return { health: next, disable: 'endpoint_gone' }
  if (next.failedInARow >= policy.afterFailures) return { health: next, disable: 'too_many_failures' }
  const failingForMs = now.getTime() - (next.failingSince ?? now).getTime()
  return failingForMs >= policy.afterMs ? { health: next, disable: 'failing_too_long' } : { health: next }
}
