import type { Body } from './event-body.js'
import { type Fact, factsOf, headlineOf } from './headline.js'

export interface RenderedMail {
  subject: string
  text: string
  html: string
}

export function renderMail(body: Body): RenderedMail {
  const headline = headlineOf(body)
  const facts = body.type === 'digest' ? collected(body) : factsOf(body)
  const width = Math.max(...facts.map(([label]) => label.length))
  const lines = facts.map(([label, value]) => `${`${label}:`.padEnd(width + 2)}${value}`)
  const rows = facts.map(([label, value]) => row(label, value)).join('')
  return {
    subject: `[Millrace] ${headline}`,
    text: `${headline}\n\n${lines.join('\n')}\n`,
    html: `<!doctype html><html><body style="font-family:sans-serif"><h2 style="font-size:18px">${escapeHtml(headline)}</h2><table>${rows}</table></body></html>\n`,
  }
}

/** One line for each: when, what, and where to read on. */
function collected({ data }: Body): Fact[] {
  const items = data.items as { timestamp: string; headline: string; runId: string | null }[]
  const lines = items.map(
    ({ timestamp, headline, runId }): Fact => [timestamp, runId === null ? headline : `${headline}, run ${runId}`],
  )
  const more = Number(data.count) - items.length
  return more > 0 ? [...lines, ['More', String(more)]] : lines
}

const row = (label: string, value: string) =>
  `<tr><th align="left" valign="top" style="padding-right:16px">${escapeHtml(label)}</th><td style="white-space:pre-wrap">${escapeHtml(value)}</td></tr>`

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char] ?? char)
