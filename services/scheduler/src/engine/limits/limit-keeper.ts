import type { Logger } from '@millrace/logger'
import type { ParkedKey, SlotKey } from '../../db/limits/slots.js'
import type { Unparked } from '../../db/limits/unpark.js'
import { slotName } from '../../domain/limits/task-limits.js'
import type { Announce } from '../announce.js'
import type { Environment } from '../environment.js'
import { Loop, SAFETY_POLL_MS } from '../loop.js'
import type { LimitStore } from '../store.js'

/** Behind every un-parking that a crash may have swallowed: as long as something waits it is looked at, so often at most. */
const POLL_MS = 1000

/** The scope in which runs of a workflow are counted. */
const RUNS = 'workflow'

/**
 * Lets parked tasks and waiting runs go on: at once where this process gave something back, by a timer where a rate has room again, and
 * by a poll whatever happened elsewhere or was missed.
 */
export class LimitKeeper extends Loop {
  private readonly freedKeys = new Map<string, SlotKey>()
  private readonly armed = new Map<string, () => void>()
  private lastPoll = Number.NEGATIVE_INFINITY

  constructor(private readonly options: { store: LimitStore; env: Environment; announce: Announce; logger: Logger }) {
    super({ name: 'limits', everyMs: SAFETY_POLL_MS, logger: options.logger, env: options.env })
  }

  override async stop(): Promise<void> {
    await super.stop()
    for (const callOff of this.armed.values()) callOff()
    this.armed.clear()
  }

  /** Something came free under these keys, and has committed. */
  freed(keys: readonly SlotKey[]): void {
    for (const key of keys) this.freedKeys.set(slotName(key.projectId, key), key)
    this.poke()
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

  protected override async turn(): Promise<void> {
    const { store, env } = this.options
    const keys = [...this.freedKeys.values()]
    this.freedKeys.clear()
    const ofTasks = keys.filter(({ scope }) => scope !== RUNS)
    if (ofTasks.length > 0) this.went(await store.unpark(ofTasks))
    for (const key of keys) if (key.scope === RUNS) await this.admit(key)
    if (env.now() - this.lastPoll < POLL_MS) return
    this.lastPoll = env.now()
    let next: SlotKey | null = null
    do {
      const unparked: Unparked = await store.unparkAll(next)
      this.went(unparked)
      next = unparked.next
    } while (next)
    await this.admitAll()
  }

  private async admitAll(): Promise<void> {
    for (let keys = await this.options.store.findWaitingRuns(null); keys.length > 0; ) {
      for (const key of keys) await this.admit(key)
      keys = await this.options.store.findWaitingRuns(keys.at(-1) ?? null)
    }
  }

  /** What it decides is in the runs' inboxes by then. */
  private async admit(key: SlotKey): Promise<void> {
    const { store, announce } = this.options
    const { admitted, refused, leaving } = await store.admitRuns(key)
    const affected = [...admitted, ...refused, ...leaving]
    if (affected.length === 0) return
    const limitsTaken = admitted.map(() => RUNS)
    const limitsRefused = [...refused, ...leaving].map(() => RUNS)
    announce({ inbox: affected, counts: { limitsTaken, limitsRefused } })
  }

  private went({ tasks, later }: Unparked): void {
    this.parked(later)
    if (tasks === 0) return
    this.options.announce({ queued: { limited: true }, counts: { unparked: tasks } })
  }
}
