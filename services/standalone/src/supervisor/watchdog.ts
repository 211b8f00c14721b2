export interface WatchdogOptions {
  /** How long a process may give no sign. */
  hangMs: number
  /** Asks for a sign; whoever hears it calls `heard`. */
  ask(): void
  onHang(silentMs: number): void
  now?: () => number
}

const asksPerTerm = 5

/**
 * Notices a process that lives and does nothing: one whose event loop is blocked, or that was stopped. Time in which the
 * watching process did not run itself (the machine slept, the supervisor was stopped) is nobody's silence.
 */
export class Watchdog {
  private readonly everyMs: number
  private readonly now: () => number
  private timer: NodeJS.Timeout | undefined
  private heardAt = 0
  private lookedAt = 0

  constructor(private readonly options: WatchdogOptions) {
    this.everyMs = Math.max(50, options.hangMs / asksPerTerm)
    // Not the wall clock, which somebody may set.
    this.now = options.now ?? (() => performance.now())
  }

  start(): void {
    this.stop()
    this.heardAt = this.now()
    this.lookedAt = this.heardAt
    this.timer = setInterval(() => this.look(), this.everyMs)
    this.timer.unref()
    this.options.ask()
  }

  heard(): void {
    this.heardAt = this.now()
  }

  stop(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }

  /** Called by the timer. */
  look(): void {
    const now = this.now()
    const late = now - this.lookedAt > 2 * this.everyMs
    this.lookedAt = now
    if (late) this.heardAt = now
    const silentMs = now - this.heardAt
    if (silentMs >= this.options.hangMs) {
      this.stop()
      this.options.onHang(Math.round(silentMs))
    } else this.options.ask()
  }
}
