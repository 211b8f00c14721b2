import type { Aligned } from '../../../src/db/limits/align-queues.js'
import type { QueueChange } from '../../../src/db/queues.js'
import { QueuePart } from '../../../src/domain/queue.js'
import { unparkPlace } from './queue-model.js'
import { putSlot, slotOf } from './slot-model.js'
import type { Statement } from './statement.js'
import type { QueueSettingsTuple, QueueTuple, TaskTuple } from './tables.js'

/** What a change of a queue's settings writes, in one transaction. */
export function setQueue(s: Statement, project_id: string, name: string, change: QueueChange): void {
  const { paused, concurrency, rateLimit, weight, profile, defaults } = change
  s.live.put('queues', `${project_id}/${name}`, {
    ...{ project_id, name, paused, concurrency, weight, profile },
    rate_limit: rateLimit?.limit ?? null,
    rate_per_ms: rateLimit?.perMs ?? null,
    defaults: defaults === null ? null : JSON.stringify(defaults),
    updated_at: s.now,
  })
  s.live.control += 1
}

const MINUTE_MS = 60_000

/** Three statements; what others hold at the moment is left for the next time. */
export function alignQueues(s: Statement, all: boolean, limit: number): Aligned {
  if (s.live.size('queues') === 0) return { moved: 0, adopted: 0, unparked: 0 }
  return { moved: moveLimited(s, limit), adopted: adopt(s, limit), unparked: unparkChanged(s, all, limit) }
}

const settingsOf = (s: Statement, { project_id, queue }: { project_id: string; queue: string }) =>
  s.live.get('queues', `${project_id}/${queue}`)

function moveLimited(s: Statement, limit: number): number {
  const going = [...s.live.all('task_queue')]
    .filter((row) => {
      const settings = settingsOf(s, row)
      const limited = settings && (settings.concurrency !== null || settings.rate_limit !== null)
      return limited && row.part === QueuePart.plain && !s.locked('task_queue', row.task_id)
    })
    .slice(0, limit)
  for (const row of going) s.live.put('task_queue', row.task_id, { ...row, part: QueuePart.limited })
  return going.length
}

/** What runs counts, whether there is a slot for it or not. */
function adopt(s: Statement, limit: number): number {
  const holders = new Set<string>()
  for (const { task_id, scope } of s.live.all('slot_holds')) if (scope === 'queue') holders.add(task_id)
  const lacks = (task: TaskTuple): boolean => {
    if (task.status !== 'running' || task.session_id === null || holders.has(task.id)) return false
    if (s.locked('tasks', task.id) || (settingsOf(s, task)?.concurrency ?? null) === null) return false
    const session = s.live.get('sessions', task.session_id)
    if (!session || session.state === 'ended') return false
    return session.project_id === null || session.project_id === task.project_id
  }
  const missing = [...s.live.all('tasks')].filter(lacks).slice(0, limit)
  for (const task of missing) {
    const { id: task_id, project_id, queue: key } = task
    const scope = 'queue'
    s.live.put('slot_holds', `${task_id}/${scope}/${key}`, { task_id, project_id, scope, key })
    s.live.put('tasks', task_id, { ...task, holds_slots: true })
    const slot = slotOf(s, { projectId: project_id, scope, key })
    const fresh = { project_id, scope, key, in_use: 0, starts: null, idle_at: s.now }
    putSlot(s, { ...(slot ?? fresh), in_use: (slot?.in_use ?? 0) + 1 })
  }
  return missing.length
}

function isOtherwise(row: QueueTuple, settings: QueueSettingsTuple): boolean {
  if (row.parked_scope === 'queue') return settings.concurrency !== row.parked_limit
  return settings.rate_limit !== row.parked_limit || settings.rate_per_ms !== row.parked_per_ms
}

function unparkChanged(s: Statement, all: boolean, limit: number): number {
  const going = [...s.live.all('task_queue')]
    .filter((row) => {
      if (row.parked_scope !== 'queue' && row.parked_scope !== 'queue_rate') return false
      const settings = s.live.get('queues', `${row.project_id}/${row.parked_key}`)
      if (!settings || !(all || settings.updated_at > s.now - MINUTE_MS)) return false
      return isOtherwise(row, settings) && !s.locked('task_queue', row.task_id)
    })
    .slice(0, limit)
  for (const row of going) unparkPlace(s, row)
  return going.length
}
