/** Counts what is open at once, for each key and in all. */
export class Places {
  private readonly byKey = new Map<string, number>()
  private total = 0

  constructor(
    private readonly perKey: number,
    private readonly inTotal: number,
  ) {}

  /** Undefined when there are enough; else what gives the place back, once. */
  take(key: string): (() => void) | undefined {
    const count = this.byKey.get(key) ?? 0
    if (count >= this.perKey || this.total >= this.inTotal) return undefined
    this.byKey.set(key, count + 1)
    this.total += 1
    return () => {
      const left = (this.byKey.get(key) ?? 1) - 1
      if (left === 0) this.byKey.delete(key)
      else this.byKey.set(key, left)
      this.total -= 1
    }
  }
}
