import type { Subscription } from './notification-queries'

const words = { webhook: 'Webhook', email: 'Email', slack: 'Slack' }

export const channelWord = ({ channel }: Subscription): string => words[channel.type]

export const addressOf = ({ channel }: Subscription): string =>
  channel.type === 'email' ? channel.to.join(', ') : channel.url

const reasons: Readonly<Record<string, string>> = {
  by_request: 'paused',
  endpoint_gone: 'off: the endpoint answered that it is gone',
  too_many_failures: 'off: too many deliveries failed',
  failing_too_long: 'off: it failed for too long',
}

/** Why nothing is sent; undefined while it is. */
export const offInWords = ({ enabled, disabledReason }: Subscription): string | undefined =>
  enabled ? undefined : (reasons[disabledReason ?? ''] ?? 'paused')

export function filterInWords({ filter }: Subscription): string {
  const labels = Object.entries(filter?.labels ?? {}).map(([name, value]) => `${name}=${value}`)
  return [filter?.workflow, filter?.status?.join(' or '), ...labels].filter(Boolean).join(', ') || 'every run'
}

/** Turned off by a person, or by its endpoint. */
export function stateOf({ enabled, disabledReason }: Subscription): 'active' | 'paused' | 'failing' {
  if (enabled) return 'active'
  return disabledReason === 'by_request' || disabledReason === null ? 'paused' : 'failing'
}
