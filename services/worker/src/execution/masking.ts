const replacement = '***'
/** Values that executors derive themselves may be ordinary words; a short one would only blot out other text. */
const minDerivedLength = 8

/** Hides secret values of one attempt. Costs nothing while there are none. */
export class Mask {
  private readonly values = new Set<string>()
  private pattern: RegExp | undefined

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
    this.pattern ??= compile(this.values)
    return text.replace(this.pattern, replacement)
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

  /** A secret is also seen in the forms that URLs, JSON and base64 give it, and one of many lines is seen line by line. */
  private addForms(secret: string): void {
    if (secret === '') return
    this.pattern = undefined
    this.values.add(secret)
    this.values.add(JSON.stringify(secret).slice(1, -1))
    this.values.add(wellFormedUriComponent(secret))
    this.values.add(new URLSearchParams({ '': secret }).toString().slice(1))
    if (secret.length < minDerivedLength) return
    const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '')
    this.values.add(base64)
    this.values.add(base64.replaceAll('+', '-').replaceAll('/', '_'))
    const lines = secret.split(/[\r\n]+/)
    if (lines.length > 1) for (const line of lines) this.add(line)
  }
}

/** Assignment would set the prototype for a key named `__proto__`. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

function wellFormedUriComponent(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    return text
  }
}

/** Longest first, so that a secret that contains another is hidden whole. */
function compile(values: ReadonlySet<string>): RegExp {
  const escaped = [...values]
    .sort((a, b) => b.length - a.length)
    .map((value) => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(escaped.join('|'), 'g')
}
