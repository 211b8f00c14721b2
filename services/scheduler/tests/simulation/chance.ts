/** Numbers that one seed decides (sfc32). */
export class Chance {
  private a: number
  private b = 0x9e3779b9
  private c = 0x243f6a88
  private d = 1

  constructor(seed: number) {
    this.a = seed | 0
    this.b ^= Math.floor(seed / 2 ** 32) | 0
    for (let i = 0; i < 12; i += 1) this.next()
  }

  private next(): number {
    const t = (((this.a + this.b) | 0) + this.d) | 0
    this.d = (this.d + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = (((this.c << 21) | (this.c >>> 11)) + t) | 0
    return t >>> 0
  }

  /** From 0 up to 1. */
  real(): number {
    return this.next() / 2 ** 32
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.real()
  }

  /** A whole number; both ends included. */
  int(low: number, high: number): number {
    return low + (this.next() % (high - low + 1))
  }

  /** Mostly short, seldom long. */
  skewed(high: number): number {
    return high * this.real() ** 4
  }

  bool(probability: number): boolean {
    return probability > 0 && this.real() < probability
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.next() % items.length]
    if (items.length === 0) throw new Error('nothing to pick from')
    return item as T
  }

  hex(digits: number): string {
    let text = ''
    while (text.length < digits) text += this.next().toString(16).padStart(8, '0')
    return text.slice(0, digits)
  }

  /** Of the form of version 4. */
  uuid(): string {
    const hex = this.hex(32)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
  }
}
