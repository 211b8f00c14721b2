import { untilNextTick } from '../db/plan-ticks.js'
import { FunctionLoop, SAFETY_POLL_MS } from '../engine/loop.js'
import { type FiringOptions, fireDue } from './firing.js'
import { planDue } from './planner.js'

/** What is due and cannot go on yet is looked at so often: a schedule that catches up waits for room. */
const RETRY_MS = 500

/**
 * Starts runs by the clock, in two steps that any replica may take up from any other: a due schedule becomes ticks, a
 * tick becomes a run. The second may wait for the workflow service; the first never does.
 */
export class Schedules {
  private readonly planning: FunctionLoop
  private readonly firing: FunctionLoop
  private alarm: NodeJS.Timeout | undefined
  private stopped = true

  constructor(private readonly options: FiringOptions) {
    const terms = { everyMs: SAFETY_POLL_MS, logger: options.logger }
    this.planning = new FunctionLoop({ name: 'schedules', ...terms }, () => this.plan())
    this.firing = new FunctionLoop({ name: 'ticks', ...terms }, () => this.fire())
  }

  start(): void {
    this.stopped = false
    this.planning.start()
    this.firing.start()
  }

  /** A schedule was made or changed, or a backfill asked for. */
  poke(): void {
    this.planning.poke()
    this.firing.poke()
  }

  async stop(): Promise<void> {
    this.stopped = true
    clearTimeout(this.alarm)
    await Promise.all([this.planning.stop(), this.firing.stop()])
    clearTimeout(this.alarm)
  }

  private async plan(): Promise<void> {
    const { ticks, more } = await planDue(this.options.pool)
    if (ticks > 0) this.firing.poke()
    if (more) this.planning.poke()
    else await this.setAlarm()
  }

  /** Whatever is next: a schedule, a tick that was put off, one whose replica died with it. */
  private async setAlarm(): Promise<void> {
    const inMs = await untilNextTick(this.options.pool)
    clearTimeout(this.alarm)
    if (inMs === undefined || inMs >= SAFETY_POLL_MS || this.stopped) return
    // A millisecond more: a timer may end a little early, and the tick would then wait for the next poll.
    this.alarm = setTimeout(() => this.poke(), inMs > 0 ? Math.ceil(inMs) + 1 : RETRY_MS)
  }

  private async fire(): Promise<void> {
    const { fired, more } = await fireDue(this.options)
    if (more) this.firing.poke()
    else if (fired > 0) await this.setAlarm()
    // A schedule that catches up waits for room.
    if (fired > 0) this.planning.poke()
  }
}
