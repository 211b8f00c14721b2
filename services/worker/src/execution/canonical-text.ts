/** A text in which encodings do not matter any more, and where each of its characters comes from. */
export interface CanonicalText {
  readonly text: string
  /** The place in the original where each UTF-16 unit begins; one more for the end. */
  readonly starts: readonly number[]
}

/** What URLs, forms, HTML and JSON make of a character, and what they and the systems between them do not tell apart. */
const encoded =
  /(?:%[0-9a-f]{2})+|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos);|\\(?:u[0-9a-f]{4}|[\\/"nrtbf])|[\\+\r]/gi

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const escaped: Readonly<Record<string, string>> = { n: '\n', r: '', t: '\t', b: '\b', f: '\f' }

export function isPlain(text: string): boolean {
  return !/[%&\\+\r]/.test(text)
}

/** A plus may be a space, a backslash a slash in the path of a URL, and line ends differ. */
export const withoutDialect = (text: string): string =>
  text.replaceAll('\r', '').replaceAll('+', ' ').replaceAll('\\', '/')

/** Decodes each encoded part once, wherever it stands: how much an encoder touches depends on the encoder and the place. */
export function canonicalText(text: string): CanonicalText {
  let canonical = ''
  const starts: number[] = []
  const copy = (from: number, to: number) => {
    canonical += text.slice(from, to)
    for (let i = from; i < to; i++) starts.push(i)
  }
  const put = (decoded: string, start: number) => {
    const known = withoutDialect(decoded)
    canonical += known
    for (let i = 0; i < known.length; i++) starts.push(start)
  }
  let from = 0
  for (const match of text.matchAll(encoded)) {
    copy(from, match.index)
    from = match.index + match[0].length
    if (match[0].startsWith('%')) decodePercent(match[0], match.index, put)
    else put(decodeOne(match[0]), match.index)
  }
  copy(from, text.length)
  starts.push(text.length)
  return { text: canonical, starts }
}

function decodeOne(part: string): string {
  if (part.startsWith('&')) return decodeEntity(part.slice(1, -1))
  if (part.length === 1) return part
  const [, kind = ''] = part
  if (kind === 'u' || kind === 'U') return String.fromCharCode(Number.parseInt(part.slice(2), 16))
  return escaped[kind] ?? kind
}

function decodeEntity(name: string): string {
  if (!name.startsWith('#')) return named[name.toLowerCase()] ?? name
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
}

function decodePercent(run: string, start: number, put: (decoded: string, start: number) => void): void {
  const bytes = Buffer.from(run.replaceAll('%', ''), 'hex')
  const text = bytes.toString('utf8')
  // Not UTF-8: byte by byte, so that what is ASCII in it is still found.
  const chars = Buffer.from(text).equals(bytes) ? text : bytes.toString('latin1')
  const bytesOf = chars === text ? (char: string) => Buffer.byteLength(char) : () => 1
  let at = start
  for (const char of chars) {
    put(char, at)
    at += bytesOf(char) * 3
  }
}
