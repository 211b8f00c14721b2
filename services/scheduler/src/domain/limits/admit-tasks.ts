import { recordStart } from './rate-window.js'
import { emptySlot, isRate, type Lack, lackOf, type Slot, slotName, type TaskLimit } from './task-limits.js'

/** A task at the head of the queue, in order of dispatch. Without limits it only has its place in the order. */
export interface Candidate {
  readonly taskId: string
  readonly projectId: string
  readonly limits: readonly TaskLimit[]
}

export interface Admission {
  readonly leased: readonly Candidate[]
  readonly parked: readonly { readonly candidate: Candidate; readonly lack: Lack }[]
  /** What the keys hold afterwards, by slotName; only those that changed. */
  readonly slots: ReadonlyMap<string, Slot>
}

/**
 * Who of those that wait may start: each takes a slot of all its keys, or none and is parked under the first
 * that lacks. At most `max` start; whoever comes after is left as it is.
 */
export function admitTasks(
  candidates: readonly Candidate[],
  slots: ReadonlyMap<string, Slot>,
  max: number,
  nowMs: number,
): Admission {
  const changed = new Map<string, Slot>()
  const slotOf = (candidate: Candidate, limit: TaskLimit): Slot => {
    const name = slotName(candidate.projectId, limit)
    return changed.get(name) ?? slots.get(name) ?? emptySlot
  }
  const leased: Candidate[] = []
  const parked: { candidate: Candidate; lack: Lack }[] = []
  for (const candidate of candidates) {
    if (leased.length >= max) break
    const lack = firstLack(candidate.limits, (limit) => slotOf(candidate, limit), nowMs)
    if (lack) {
      parked.push({ candidate, lack })
      continue
    }
    leased.push(candidate)
    for (const limit of candidate.limits) {
      changed.set(slotName(candidate.projectId, limit), taken(slotOf(candidate, limit), limit, nowMs))
    }
  }
  return { leased, parked, slots: changed }
}

export function firstLack(
  limits: readonly TaskLimit[],
  slotOf: (limit: TaskLimit) => Slot,
  nowMs: number,
): Lack | null {
  for (const limit of limits) {
    const lack = lackOf(limit, slotOf(limit), nowMs)
    if (lack) return lack
  }
  return null
}

function taken(slot: Slot, limit: TaskLimit, nowMs: number): Slot {
  if (!isRate(limit)) return { ...slot, inUse: slot.inUse + 1 }
  return { ...slot, window: recordStart(slot.window, { limit: limit.limit, perMs: limit.perMs ?? 0 }, nowMs) }
}
