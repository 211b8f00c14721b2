import type { SubscriptionRow } from './db/subscriptions.js'
import type { Channel } from './domain/channel.js'
import type { SecretBox } from './domain/secret-box.js'

type StoredChannel = Pick<SubscriptionRow, 'id' | 'channelType' | 'url' | 'recipients' | 'headers'>

export function channelOfRow(box: SecretBox, row: StoredChannel): Channel {
  switch (row.channelType) {
    case 'email':
      return { type: 'email', to: row.recipients ?? [] }
    case 'slack':
      return { type: 'slack', url: row.url ?? '' }
    case 'webhook':
      return { type: 'webhook', url: row.url ?? '', headers: openHeaders(box, row) }
  }
}

function openHeaders(box: SecretBox, { id, headers }: StoredChannel): Record<string, string> {
  return headers === null ? {} : (JSON.parse(box.open(headers, id)) as Record<string, string>)
}

export function columnsOfChannel(
  box: SecretBox,
  id: string,
  channel: Channel,
): Pick<SubscriptionRow, 'channelType' | 'url' | 'recipients' | 'headers'> {
  const blank = { channelType: channel.type, url: null, recipients: null, headers: null }
  switch (channel.type) {
    case 'email':
      return { ...blank, recipients: channel.to }
    case 'slack':
      return { ...blank, url: channel.url }
    case 'webhook': {
      const sealed = Object.keys(channel.headers).length === 0 ? null : box.seal(JSON.stringify(channel.headers), id)
      return { ...blank, url: channel.url, headers: sealed }
    }
  }
}
