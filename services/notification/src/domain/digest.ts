import { parseDuration } from '@millrace/definition/duration'
import { unprocessable } from '@millrace/errors'
import type { ChannelType } from './channel.js'
import type { Body } from './event-body.js'
import { headlineOf } from './headline.js'

export interface Digest {
  every: string
}

const shortestMs = 1_000
const longestMs = 7 * 86_400_000
/** More are counted and not listed. */
export const maxListed = 100

/** The text itself is kept: it is what the author reads back. */
export function readDigest(digest: Digest | null | undefined, channel: ChannelType): string | null {
  if (digest === undefined || digest === null) return null
  const invalid = (message: string) =>
    unprocessable('invalid_digest', 'The digest is not valid.', [{ path: '/digest/every', code: 'invalid', message }])
  if (channel !== 'email') throw invalid('Only mail is collected in digests.')
  const ms = parseDuration(digest.every)
  if (ms === undefined || ms < shortestMs || ms > longestMs) throw invalid('This is no duration from 1s to 7d.')
  return digest.every
}

export const digestMs = (every: string): number => parseDuration(every) ?? longestMs

/** What was collected, as the payload of its delivery: as many as are listed, and how many there are. */
export function digestBody(bodies: readonly string[], count: number, at: Date): Body {
  const items = bodies.map((text) => JSON.parse(text) as Body)
  return {
    type: 'digest',
    timestamp: at.toISOString(),
    data: {
      count,
      items: items.map((item) => ({
        type: item.type,
        timestamp: item.timestamp,
        headline: headlineOf(item),
        runId: item.data.runId ?? null,
        ...(item.data.url === undefined ? {} : { url: item.data.url }),
      })),
    },
  }
}
