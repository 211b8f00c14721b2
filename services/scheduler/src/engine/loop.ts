import type { Logger } from '@millrace/logger'
import { type Environment, realEnvironment } from './environment.js'

const MAX_REST_MS = 30_000

/** The pace of loops that are woken when there is something for them (`due-work.ts`), in case they are not. */
export const SAFETY_POLL_MS = 5_000

export interface LoopTerms {
  readonly name: string
  readonly everyMs: number
  readonly logger: Logger
  readonly env?: Environment
  /** A turn that took long is followed by a pause so many times as long: what is not urgent must not crowd out what is. */
  readonly rest?: number
}

/**
 * Does something again and again: after a pause, or at once when poked. A failure is logged and the next turn comes all
 * the same. One turn at a time; a poke during a turn leads to one more.
 */
export abstract class Loop {
  private cancelTimer: (() => void) | null = null
  private turning: Promise<void> | null = null
  private poked = false
  protected stopped = true

  constructor(private readonly terms: LoopTerms) {}

  protected abstract turn(): Promise<void>

  protected everyMs(): number {
    return this.terms.everyMs
  }

  start(): void {
    this.stopped = false
    this.poke()
  }

  poke(): void {
    if (this.stopped) return
    if (this.turning) {
      this.poked = true
      return
    }
    this.cancelTimer?.()
    this.cancelTimer = null
    this.turning = this.once()
  }

  async stop(): Promise<void> {
    this.stopped = true
    this.cancelTimer?.()
    await this.turning
  }

  private async once(): Promise<void> {
    const { name, logger, env = realEnvironment, rest = 0 } = this.terms
    const began = env.now()
    try {
      await this.turn()
    } catch (error) {
      if (!this.stopped) logger.warn({ err: error, loop: name }, 'a turn failed')
    }
    this.turning = null
    if (this.stopped) return
    if (this.poked) {
      this.poked = false
      this.poke()
      return
    }
    const pauseMs = Math.max(this.everyMs(), Math.min(MAX_REST_MS, rest * (env.now() - began)))
    this.cancelTimer = env.after(pauseMs, () => this.poke())
  }
}

/** Every loop of a replica: started together, and ended together. Each paces itself. */
export class LoopRegistry {
  private readonly loops: Pick<Loop, 'start' | 'stop'>[] = []

  add(...loops: readonly Pick<Loop, 'start' | 'stop'>[]): void {
    this.loops.push(...loops)
  }

  start(): void {
    for (const loop of this.loops) loop.start()
  }

  /** Resolves once no turn is under way. */
  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()))
  }
}

/** A loop of one function. */
export class FunctionLoop extends Loop {
  constructor(
    terms: LoopTerms,
    private readonly work: () => Promise<void>,
  ) {
    super(terms)
  }

  protected override turn(): Promise<void> {
    return this.work()
  }
}
