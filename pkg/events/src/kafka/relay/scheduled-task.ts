import { createHash } from 'node:crypto'
import type { RawEvent } from '../../cloud-event.js'

/** Most changes of a task make nothing ready: they are told apart without parsing them. */
const mayBeReady = /"queued"|"scheduled"/

/**
 * The event `task.scheduled` of a change that made a task ready. It follows from the change alone, so it has no row of its
 * own in the outbox, is sent with the change, and has the same id whenever that is sent again.
 */
export function scheduledTask(change: RawEvent): RawEvent | undefined {
  if (change.topic !== 'task.updated' || !mayBeReady.test(change.data)) return undefined
  const { runId, projectId, taskId, queue, uses, status, scheduled } = JSON.parse(change.data) as Record<
    string,
    unknown
  >
  if (status !== 'queued' && scheduled !== true) return undefined
  return {
    ...change,
    topic: 'task.scheduled',
    eventId: derivedId(change.eventId),
    data: JSON.stringify({ runId, projectId, taskId, queue, uses }),
  }
}

/** A UUID of version 8, the same for the same event. */
function derivedId(eventId: string): string {
  const hash = createHash('sha256').update(`task.scheduled ${eventId}`).digest()
  hash[6] = (hash.readUInt8(6) & 0x0f) | 0x80
  hash[8] = (hash.readUInt8(8) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
