import type { Logger } from '@millrace/logger'
import type { ParkedKey, SlotKey } from '../../db/limits/slots.js'
import type { Unparked } from '../../db/limits/unpark.js'
import { slotName } from '../../domain/limits/task-limits.js'
import type { AfterWrite } from '../engine-context.js'
import type { Environment } from '../environment.js'
import { Loop } from '../loop.js'
import { limitMetrics } from '../metrics.js'
import type { LimitStore } from '../store.js'

/** Behind every un-parking that a crash may have swallowed. */
const POLL_MS = 1000

/**
 * Lets parked tasks go on: at once where this process gave something back, by a timer where a rate has room again, and
 * by a poll whatever happened elsewhere or was missed.
 */
export class LimitKeeper {
  private readonly loop: Loop
  private readonly freedKeys = new Map<string, SlotKey>()
  private readonly armed = new Map<string, () => void>()
  private lastPoll = Number.NEGATIVE_INFINITY

  constructor(private readonly options: { store: LimitStore; env: Environment; after: AfterWrite; logger: Logger }) {
    this.loop = new Loop('limits', POLL_MS, () => this.turn(), options.logger, options.env)
  }

  start(): void {
    this.loop.start()
  }

  async stop(): Promise<void> {
    await this.loop.stop()
    for (const callOff of this.armed.values()) callOff()
    this.armed.clear()
  }

  /** Something came free under these keys, and has committed. */
  freed(keys: readonly SlotKey[]): void {
    for (const key of keys) this.freedKeys.set(slotName(key.projectId, key), key)
    this.loop.poke()
  }

  /** Tasks were parked; rates have room again by themselves. */
  parked(keys: readonly ParkedKey[]): void {
    for (const key of keys) if (key.freeInMs !== null) this.arm(key, key.freeInMs)
  }

  private arm(key: SlotKey, inMs: number): void {
    const name = slotName(key.projectId, key)
    if (this.armed.has(name)) return
    const callOff = this.options.env.after(Math.max(0, inMs), () => {
      this.armed.delete(name)
      this.freed([key])
    })
    this.armed.set(name, callOff)
  }

  private async turn(): Promise<void> {
    const { store, env } = this.options
    const keys = [...this.freedKeys.values()]
    this.freedKeys.clear()
    if (keys.length > 0) this.went(await store.unpark(keys))
    if (env.now() - this.lastPoll < POLL_MS) return
    this.lastPoll = env.now()
    let next: SlotKey | null = null
    do {
      const unparked: Unparked = await store.unparkAll(next)
      this.went(unparked)
      next = unparked.next
    } while (next)
  }

  private went({ tasks, later }: Unparked): void {
    this.parked(later)
    if (tasks === 0) return
    limitMetrics.unparked.inc(tasks)
    this.options.after.queuedLimited()
  }
}
