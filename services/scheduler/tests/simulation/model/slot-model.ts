import type { SlotKey } from '../../../src/db/limits/slots.js'
import { slotName } from '../../../src/domain/limits/task-limits.js'
import type { Statement } from './statement.js'
import type { SlotTuple } from './tables.js'

export const slotOf = (s: Statement, key: SlotKey): SlotTuple | undefined =>
  s.live.get('slots', slotName(key.projectId, key))

export function putSlot(s: Statement, slot: SlotTuple): void {
  s.live.put('slots', slotName(slot.project_id, slot), slot)
}

/** Deletes what these tasks hold and counts it down, one sum a key. */
export function freeHolds(s: Statement, taskIds: readonly string[]): SlotKey[] {
  const holds = [...s.seen.all('slot_holds')].filter(({ task_id }) => taskIds.includes(task_id))
  for (const { task_id, scope, key } of holds) s.live.remove('slot_holds', `${task_id}/${scope}/${key}`)
  return giveBack(s, holds)
}

/** One sum a key. */
export function giveBack(s: Statement, held: readonly { project_id: string; scope: string; key: string }[]): SlotKey[] {
  const freed = new Map<string, { key: SlotKey; slots: number }>()
  for (const { project_id, scope, key } of held) {
    const name = slotName(project_id, { scope, key })
    const slots = (freed.get(name)?.slots ?? 0) + 1
    freed.set(name, { key: { projectId: project_id, scope, key }, slots })
  }
  for (const { key, slots } of freed.values()) {
    const slot = slotOf(s, key)
    if (slot) putSlot(s, { ...slot, in_use: Math.max(0, slot.in_use - slots), idle_at: s.now })
  }
  return [...freed.values()].map(({ key }) => key)
}
