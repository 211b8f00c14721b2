import type { Body } from './event-body.js'
import { factsOf, headlineOf } from './headline.js'

/** Names and error texts come from users: escaped as Slack asks, so that none of them can ping a channel or fake a link. */
export function renderSlack(body: Body): { text: string } {
  const facts = factsOf(body).map(([label, value]) => `${label}: ${escapeText(value)}`)
  return { text: [`*${escapeText(headlineOf(body))}*`, ...facts].join('\n') }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const escapeText = (text: string): string => text.replace(/[&<>]/g, (char) => entities[char] ?? char)
