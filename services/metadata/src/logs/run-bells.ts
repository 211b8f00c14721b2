/**
 * Wakes those in this process who wait for something of a run. Only a hint, and it carries nothing: who is woken asks
 * the store, so a follower reads the same whichever replica took the line in.
 */
export class RunBells {
  private readonly listeners = new Map<string, Set<Bell>>()

  listen(runId: string): Bell {
    const bells = this.listeners.get(runId) ?? new Set()
    this.listeners.set(runId, bells)
    const bell: Bell = new Bell(() => {
      bells.delete(bell)
      if (bells.size === 0 && this.listeners.get(runId) === bells) this.listeners.delete(runId)
    })
    bells.add(bell)
    return bell
  }

  ring(runIds: Iterable<string>, what: Change): void {
    if (this.listeners.size === 0) return
    for (const runId of runIds) {
      for (const bell of this.listeners.get(runId) ?? []) bell.ring(what)
    }
  }

  get size(): number {
    return this.listeners.size
  }
}

/** Lines came, or the record of the run or of one of its jobs changed. */
export type Change = 'lines' | 'record'

export class Bell {
  private rung: Change | undefined
  private wake: (() => void) | undefined

  constructor(readonly close: () => void) {}

  ring(what: Change): void {
    if (this.rung !== 'record') this.rung = what
    this.wake?.()
  }

  /**
   * Until the bell rings (also if it rang since the last wait), the time is over, or the signal aborts. Answers what it
   * rang for; when nobody rang, anything may have changed.
   */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<Change> {
    if (this.rung === undefined && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', done)
          this.wake = undefined
          resolve()
        }
        const timer = setTimeout(done, timeoutMs)
        signal.addEventListener('abort', done, { once: true })
        this.wake = done
      })
    }
    const what = this.rung ?? 'record'
    this.rung = undefined
    return what
  }
}
