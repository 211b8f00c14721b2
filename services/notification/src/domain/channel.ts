export const ChannelType = { Webhook: 'webhook', Email: 'email', Slack: 'slack' } as const
export type ChannelType = (typeof ChannelType)[keyof typeof ChannelType]

export type Channel =
  | { type: 'webhook'; url: string; headers: Record<string, string> }
  | { type: 'email'; to: string[] }
  | { type: 'slack'; url: string }

export const mailEndpoint = 'mail'

/** What limits are counted by: two subscriptions to one host share its allowance. */
export const endpointOf = (url: string | null): string => (url === null ? mailEndpoint : new URL(url).origin)
