interface BackoffTerms {
  readonly firstMs: number
  readonly maxMs: number
  /** From 0 up to 1: takes away up to half of the wait, so that those who failed together do not come back together. */
  readonly random?: number
}

/** How long to wait after so many tries, the first being 1: twice as long each time, up to a bound. */
export const backoffMs = (tries: number, { firstMs, maxMs, random = 1 }: BackoffTerms): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(Math.max(tries, 1) - 1, 30)) * (0.5 + random / 2)
