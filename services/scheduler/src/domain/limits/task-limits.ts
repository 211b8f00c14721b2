import { emptyWindow, type RateWindow, rateFreeAt, rateRoom } from './rate-window.js'

/** Attempts that run at once, or attempts that start within a time; of tasks by their key, or of a whole queue. */
export type LimitScope = 'task' | 'queue' | 'task_rate' | 'queue_rate'

/** One limit of one attempt, with its key resolved. */
export interface TaskLimit {
  readonly scope: LimitScope
  readonly key: string
  readonly limit: number
  /** Only of a rate. */
  readonly perMs?: number
}

/** What is in use under a key. */
export interface Slot {
  readonly inUse: number
  readonly window: RateWindow
}

export const emptySlot: Slot = { inUse: 0, window: emptyWindow }

export const isRate = (limit: { scope: string }): boolean => limit.scope === 'task_rate' || limit.scope === 'queue_rate'

/** Why an attempt may not start now. */
export interface Lack {
  readonly limit: TaskLimit
  readonly inUse: number
  /** When the next may start, for a rate; a slot comes free when someone ends. */
  readonly freeAtMs: number | null
}

/** How many attempts under this limit could start now. */
export function roomUnder(limit: TaskLimit, slot: Slot, nowMs: number): number {
  if (isRate(limit)) return rateRoom(slot.window, { limit: limit.limit, perMs: limit.perMs ?? 0 }, nowMs)
  return Math.max(0, limit.limit - slot.inUse)
}

/** The engine's one judgement whether a limit lets an attempt start: it leases by it, and explains by it. */
export function lackOf(limit: TaskLimit, slot: Slot, nowMs: number): Lack | null {
  if (roomUnder(limit, slot, nowMs) > 0) return null
  const rate = { limit: limit.limit, perMs: limit.perMs ?? 0 }
  return { limit, inUse: slot.inUse, freeAtMs: isRate(limit) ? rateFreeAt(slot.window, rate, nowMs) : null }
}

/** One text for each key of a project: keys may hold any character, scopes do not. */
export const slotName = (projectId: string, { scope, key }: { scope: string; key: string }): string =>
  `${projectId} ${scope} ${key}`

export interface QueueLimitSettings {
  readonly concurrency: number | null
  readonly rateLimit: number | null
  readonly ratePerMs: number | null
}

/** What all tasks of a queue are counted under together. */
export function limitsOfQueue(queue: string, settings: QueueLimitSettings): TaskLimit[] {
  const { concurrency, rateLimit, ratePerMs } = settings
  return [
    ...(concurrency === null ? [] : [{ scope: 'queue' as const, key: queue, limit: concurrency }]),
    ...(rateLimit === null
      ? []
      : [{ scope: 'queue_rate' as const, key: queue, limit: rateLimit, perMs: ratePerMs ?? 0 }]),
  ]
}
