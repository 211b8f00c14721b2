import { untilWoken } from './until-woken.js'

/**
 * Wakes those in this process who wait for something of a run. Only a hint, and it carries nothing: who is woken asks
 * the store, so a follower reads the same whichever replica took the line in.
 */
export class RunHints {
  private readonly listeners = new Map<string, Set<HintListener>>()

  listen(runId: string): HintListener {
    const ofRun = this.listeners.get(runId) ?? new Set()
    this.listeners.set(runId, ofRun)
    const listener: HintListener = new HintListener(() => {
      ofRun.delete(listener)
      if (ofRun.size === 0 && this.listeners.get(runId) === ofRun) this.listeners.delete(runId)
    })
    ofRun.add(listener)
    return listener
  }

  notify(runIds: Iterable<string>, what: Change): void {
    if (this.listeners.size === 0) return
    for (const runId of runIds) {
      for (const listener of this.listeners.get(runId) ?? []) listener.notify(what)
    }
  }

  get size(): number {
    return this.listeners.size
  }
}

/** Lines came, or the record of the run or of one of its jobs changed. */
export type Change = 'lines' | 'record'

export class HintListener {
  private hinted: Change | undefined
  private wake: (() => void) | undefined

  constructor(readonly close: () => void) {}

  notify(what: Change): void {
    if (this.hinted !== 'record') this.hinted = what
    this.wake?.()
  }

  /**
   * Until a hint comes (also if one came since the last wait), the time is over, or the signal aborts. Answers what the
   * hint was of; without one, anything may have changed.
   */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<Change> {
    if (this.hinted === undefined && !signal.aborted) {
      await untilWoken((wake) => (this.wake = wake), timeoutMs, signal)
      this.wake = undefined
    }
    const what = this.hinted ?? 'record'
    this.hinted = undefined
    return what
  }
}
