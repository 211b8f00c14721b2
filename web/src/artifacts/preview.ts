export type PreviewKind = 'text' | 'json' | 'csv' | 'image' | 'none'

interface File {
  name: string
  contentType: string
}

/** Read and shown of a text; the rest is for the download. */
export const textBytes = 256 * 1024
/** An image is shown whole or not at all. */
export const imageBytes = 10 * 1024 * 1024

/**
 * What the browser decodes as pixels and nothing else. SVG is not among them: it is a document, so its source is shown as
 * text.
 */
const rasterTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']

const kindByEnding: Readonly<Record<string, PreviewKind>> = {
  json: 'json',
  csv: 'csv',
  ...Object.fromEntries(
    ['txt', 'log', 'md', 'yaml', 'yml', 'xml', 'svg', 'html', 'ndjson', 'jsonl', 'tsv', 'ini', 'toml', 'sql'].map(
      (ending) => [ending, 'text' as const],
    ),
  ),
}

/** Markup and scripts are text like any other: their source is shown. */
export function previewKindOf({ name, contentType }: File): PreviewKind {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (rasterTypes.includes(type)) return 'image'
  if (type === 'application/json' || type.endsWith('+json')) return 'json'
  if (type === 'text/csv') return 'csv'
  if (type.startsWith('text/') || type.endsWith('+xml') || /^application\/(xml|yaml|x-ndjson|javascript)$/.test(type))
    return 'text'
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return type === 'application/octet-stream' || type === '' ? (kindByEnding[ending] ?? 'none') : 'none'
}

/** Undefined: these bytes are no text, whatever the file claims to be. */
export function textOf(bytes: Uint8Array): string | undefined {
  return bytes.includes(0) ? undefined : new TextDecoder().decode(bytes)
}

export type Previewed =
  | { kind: 'text'; text: string }
  | { kind: 'json'; value: unknown }
  | { kind: 'table'; rows: string[][] }

const shownRows = 200

/** A text as its kind reads it; as plain text where it does not hold to it, or was cut off. */
export function previewOf(kind: PreviewKind, text: string, cut: boolean): Previewed {
  if (kind === 'json' && !cut) {
    try {
      return { kind: 'json', value: JSON.parse(text) as unknown }
    } catch {
      return { kind: 'text', text }
    }
  }
  if (kind === 'csv') return { kind: 'table', rows: csvRows(text, shownRows) }
  return { kind: 'text', text }
}

/** Fields of one match: quoted or plain, and what ends it. */
const field = /(?:"((?:[^"]|"")*)"?|([^,\r\n]*))(,|\r?\n|\r|$)/y

/** RFC 4180: quoted fields may hold commas, line ends and doubled quotes. At most `limit` rows. */
export function csvRows(text: string, limit: number): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  field.lastIndex = text.startsWith('\uFEFF') ? 1 : 0
  while (field.lastIndex < text.length && rows.length < limit) {
    const match = field.exec(text)
    // A quoted field with text after it: not CSV from here on.
    if (!match) break
    const [, quoted, plain, end] = match
    row.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'))
    if (end === ',' && field.lastIndex < text.length) continue
    if (end === ',') row.push('')
    rows.push(row)
    row = []
  }
  return rows
}
