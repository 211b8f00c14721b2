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
  const lines = facts.map(([label, value, link]) => `${`${label}:`.padEnd(width + 2)}${inText(value, link)}`)
  const rows = facts.map(row).join('')
  return {
    subject: `[Millrace] ${headline}`,
    text: `${headline}\n\n${lines.join('\n')}\n`,
    html: `<!doctype html><html><body style="font-family:sans-serif"><h2 style="font-size:18px">${escapeHtml(headline)}</h2><table>${rows}</table></body></html>\n`,
  }
}

/** One line for each: when, what, and where to read on. */
function collected({ data }: Body): Fact[] {
  const items = data.items as { timestamp: string; headline: string; runId: string | null; url?: string }[]
  const lines = items.map(({ timestamp, headline, runId, url }): Fact => {
    const what = runId === null ? headline : `${headline}, run ${runId}`
    return [timestamp, what, url]
  })
  const more = Number(data.count) - items.length
  return more > 0 ? [...lines, ['More', String(more)]] : lines
}

const inText = (value: string, link: string | undefined) =>
  link === undefined || link === value ? value : `${value}, ${link}`

const row = ([label, value, link]: Fact) =>
  `<tr><th align="left" valign="top" style="padding-right:16px">${escapeHtml(label)}</th><td style="white-space:pre-wrap">${inHtml(value, link)}</td></tr>`

const inHtml = (value: string, link: string | undefined) =>
  link === undefined ? escapeHtml(value) : `<a href="${escapeHtml(link)}">${escapeHtml(value)}</a>`

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char] ?? char)
