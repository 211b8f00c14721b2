import { canonicalText, isPlain, withoutDialect } from './canonical-text.js'

const replacement = '***'
/** Values that executors derive themselves may be ordinary words; a short one would only blot out other text. */
const minDerivedLength = 8
/** What is shorter is found only as it is: most of its encoded forms are ordinary text. */
const minEncodedLength = 4

interface Range {
  start: number
  end: number
}

/**
 * Hides secret values of one attempt. Costs nothing while there are none. Searching is plain searching for texts, since a
 * pattern made of a long secret may be refused by the engine, with a message that shows it, or take quadratic time.
 */
export class Mask {
  private readonly values = new Set<string>()
  private readonly exact = new Set<string>()
  /** Looked for in the canonical form of a text. */
  private readonly canonical = new Set<string>()

  constructor(secrets: readonly string[]) {
    for (const secret of secrets) this.addForms(secret)
  }

  get isEmpty(): boolean {
    return this.values.size === 0
  }

  add(value: string): void {
    if (value.length >= minDerivedLength) this.addForms(value)
  }

  text(text: string): string {
    if (this.values.size === 0) return text
    const ranges: Range[] = []
    for (const form of this.exact) find(text, form, (start, end) => ranges.push({ start, end }))
    if (!isPlain(text)) this.findCanonical(text, ranges)
    return ranges.length === 0 ? text : replaceAll(text, ranges)
  }

  /** Answers the value with every string, key and number that shows a secret hidden. Expects plain JSON. */
  json(value: unknown): unknown {
    if (this.values.size === 0) return value
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number') return this.values.has(String(value)) ? replacement : value
    if (Array.isArray(value)) return value.map((item) => this.json(item))
    if (typeof value !== 'object' || value === null) return value
    const masked: Record<string, unknown> = {}
    for (const [key, item] of Object.entries(value)) define(masked, this.text(key), this.json(item))
    return masked
  }

  private findCanonical(text: string, ranges: Range[]): void {
    const { text: canonical, starts } = canonicalText(text)
    for (const form of this.canonical) {
      find(canonical, form, (start, end) => ranges.push({ start: starts[start] ?? 0, end: starts[end] ?? text.length }))
    }
  }

  /** A secret of many lines is also seen line by line. */
  private addForms(secret: string): void {
    if (secret === '' || this.values.has(secret)) return
    this.values.add(secret)
    this.exact.add(secret)
    if (secret.length >= minDerivedLength) {
      const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '')
      this.exact.add(base64).add(base64.replaceAll('+', '-').replaceAll('/', '_'))
    }
    // The second for an encoder that leaves alone what looks encoded in the secret itself.
    for (const form of [withoutDialect(secret), canonicalText(secret).text]) {
      if (form.length >= minEncodedLength) this.canonical.add(form)
    }
    const lines = secret.split(/[\r\n]+/)
    if (lines.length > 1) for (const line of lines) this.add(line)
  }
}

function find(text: string, form: string, found: (start: number, end: number) => void): void {
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) found(at, at + form.length)
}

/** Ranges that overlap are hidden as one: a secret that contains another is hidden whole. */
function replaceAll(text: string, ranges: Range[]): string {
  let shown = ''
  let from = 0
  for (const { start, end } of merged(ranges)) {
    shown += text.slice(from, start) + replacement
    from = end
  }
  return shown + text.slice(from)
}

function merged(ranges: Range[]): Range[] {
  const result: Range[] = []
  for (const range of ranges.sort((a, b) => a.start - b.start)) {
    const last = result.at(-1)
    if (last && range.start < last.end) last.end = Math.max(last.end, range.end)
    else result.push({ ...range })
  }
  return result
}

/** Assignment would set the prototype for a key named `__proto__`. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}
