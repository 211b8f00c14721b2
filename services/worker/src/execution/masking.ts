import { decodeText, isPlain, undecoded, withoutDialect } from './decode-text.js'
import { canonicalForms, exactForms, minBinaryLength } from './secret-forms.js'
import { TextAutomaton, type Units, unitsOf } from './text-automaton.js'

const replacement = '***'
/** Each JSON within a string of JSON is a layer, and so is a URL within the query of a URL: an error may quote all that. */
const maxLayers = 4
/** Of secrets with many lines, for all of a task's secrets together: each line is looked for by itself as well. */
const maxLineText = 256 * 1024

interface Range {
  start: number
  end: number
}

/** Hides secret values of one attempt, in the forms that docs/guides/secrets.md names. Costs nothing while there are none. */
export class Mask {
  private readonly values = new Set<string>()
  private exact: TextAutomaton | undefined
  /** Looked for in decoded text. */
  private canonical: TextAutomaton | undefined
  private lineTextLeft = maxLineText

  constructor(secrets: readonly string[]) {
    for (const secret of secrets) this.addForms(secret)
  }

  get isEmpty(): boolean {
    return this.values.size === 0
  }

  /** For values that executors derive themselves: a short one may be an ordinary word, and would only blot out other text. */
  add(value: string): void {
    if (value.length >= minBinaryLength) this.addForms(value)
  }

  text(text: string): string {
    if (this.values.size === 0) return text
    const units = unitsOf(text)
    const ranges = new Ranges()
    this.exact?.scan(units, (start, end) => ranges.add(start, end))
    if (!isPlain(units)) this.findDecoded(units, ranges)
    return ranges.isEmpty ? text : replaceAll(text, ranges.merged())
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

  private findDecoded(units: Units, ranges: Ranges): void {
    let layer = undecoded(units)
    for (let i = 1; i <= maxLayers; i++) {
      const inner = decodeText(layer)
      // Nothing was shorter, so nothing was encoded: what passes for the same is looked for once.
      const isLast = inner.units.length === layer.units.length
      const { starts } = inner
      const found = (start: number, end: number) => ranges.add(starts[start] ?? 0, starts[end] ?? units.length)
      if (!isLast) this.exact?.scan(inner.units, found)
      if (i === 1 || !isLast) this.canonical?.scan(inner.units, found, withoutDialect)
      if (isLast) return
      layer = inner
    }
  }

  /** A secret of many lines is also seen line by line. */
  private addForms(secret: string): void {
    if (secret === '' || this.values.has(secret)) return
    this.values.add(secret)
    this.lookFor(exactForms(secret), canonicalForms(secret))
    const lines = secret.split(/[\r\n]+/)
    if (lines.length > 1) for (const line of lines) this.addLine(line)
  }

  private addLine(line: string): void {
    this.lineTextLeft -= line.length
    if (line.length < minBinaryLength || this.lineTextLeft < 0) return
    this.lookFor([line], canonicalForms(line))
  }

  private lookFor(exact: readonly string[], canonical: readonly string[]): void {
    this.exact ??= new TextAutomaton()
    this.canonical ??= new TextAutomaton()
    for (const form of exact) this.exact.add(form)
    for (const form of canonical) this.canonical.add(form)
  }
}

/** Ranges that overlap are hidden as one: a secret that contains another is hidden whole. */
class Ranges {
  private readonly found: Range[] = []

  get isEmpty(): boolean {
    return this.found.length === 0
  }

  /** Joined at once with those just before it: a text of one repeated secret must not become a list of millions. */
  add(start: number, end: number): void {
    const range = { start, end }
    for (let last = this.found.at(-1); last && overlap(last, range); last = this.found.at(-1)) {
      range.start = Math.min(range.start, last.start)
      range.end = Math.max(range.end, last.end)
      this.found.pop()
    }
    this.found.push(range)
  }

  merged(): Range[] {
    const result = new Ranges()
    for (const { start, end } of this.found.sort((a, b) => a.start - b.start)) result.add(start, end)
    return result.found
  }
}

const overlap = (a: Range, b: Range): boolean => a.start < b.end && b.start < a.end

function replaceAll(text: string, ranges: readonly Range[]): string {
  let shown = ''
  let from = 0
  for (const { start, end } of ranges) {
    shown += text.slice(from, start) + replacement
    from = end
  }
  return shown + text.slice(from)
}

/** Assignment would set the prototype for a key named `__proto__`. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}
