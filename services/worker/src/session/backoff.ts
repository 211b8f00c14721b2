export interface BackoffOptions {
  initial: number
  max: number
}

/** A doubling ceiling, half of it left to chance, so that workers do not return all at once. */
export class Backoff {
  private ceilingMs: number
  private wakeUp: (() => void) | undefined

  constructor(private readonly options: BackoffOptions) {
    this.ceilingMs = options.initial
  }

  reset(): void {
    this.ceilingMs = this.options.initial
  }

  wait(signal?: AbortSignal): Promise<void> {
    const delayMs = this.ceilingMs / 2 + (Math.random() * this.ceilingMs) / 2
    this.ceilingMs = Math.min(this.ceilingMs * 2, this.options.max)
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        this.wakeUp = undefined
        resolve()
      }
      const timer = setTimeout(done, delayMs)
      this.wakeUp = done
      signal?.addEventListener('abort', done, { once: true })
      if (signal?.aborted) done()
    })
  }

  /** Ends a wait under way at once. */
  wake(): void {
    this.wakeUp?.()
  }
}
