import { FRONT } from '../../../src/db/requeue-tasks.js'
import { QueuePart } from '../../../src/domain/queue.js'
import type { Statement } from './statement.js'
import type { QueueTuple, TaskTuple } from './tables.js'

const unparked = { parked_scope: null, parked_key: null, parked_limit: null, parked_per_ms: null }

type Place = Omit<QueueTuple, 'position' | keyof typeof unparked>

/** On conflict do nothing; the number is drawn all the same. */
export function enqueuePlace(s: Statement, place: Place, loss = 0): boolean {
  const position = s.live.next('task_queue') - loss * FRONT
  if (s.live.get('task_queue', place.task_id)) return false
  s.live.put('task_queue', place.task_id, { ...place, ...unparked, position })
  return true
}

/** A task goes (back) into the part of the queue that its limits say. */
export function enqueue(s: Statement, task: TaskTuple, held = false, loss = 0): boolean {
  const { id: task_id, run_id, project_id, queue, uses, priority } = task
  const part = held || s.seen.get('task_limits', task_id) ? QueuePart.limited : QueuePart.plain
  return enqueuePlace(s, { task_id, run_id, project_id, queue, uses, priority, part, child: task.idx >= 0 }, loss)
}

/** Lets a parked place go on. */
export function unparkPlace(s: Statement, place: QueueTuple): void {
  s.live.put('task_queue', place.task_id, { ...place, ...unparked, part: QueuePart.limited })
}
