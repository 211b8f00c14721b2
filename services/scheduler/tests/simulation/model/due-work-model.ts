import type { DueWork } from '../../../src/db/due-work.js'
import { QueuePart } from '../../../src/domain/queue.js'
import { lives } from './lease-model.js'
import { hasWork } from './map-model.js'
import { micro, type Statement } from './statement.js'
import type { TaskTuple } from './tables.js'

export function findDueWork(s: Statement, horizonMs: number): DueWork {
  const { seen, now } = s
  const isPast = ({ status, deadline_at, session_id }: TaskTuple) =>
    status === 'running' && ((deadline_at !== null && deadline_at < now) || !lives(s, session_id))
  const queue = [...seen.all('task_queue')]
  return {
    timers: [...seen.all('timers')].some(({ due_at }) => due_at <= micro(now + horizonMs)),
    deferred: [...seen.all('held_back')].some(({ until }) => until <= now),
    leases:
      [...seen.all('sessions')].some(({ state, until }) => state !== 'ended' && until < now) ||
      [...seen.all('tasks')].some(isPast),
    maps: [...seen.all('map_groups')].some((group) => hasWork(s, group)),
    inbox: [...seen.all('run_inbox')].some(({ run_id }) => seen.get('runs', run_id) !== undefined),
    plain: queue.some(({ part }) => part === QueuePart.plain),
    limited: queue.some(({ part }) => part === QueuePart.limited),
    waiting:
      queue.some(({ parked_key }) => parked_key !== null) ||
      [...seen.all('run_admissions')].some(({ state }) => state === 'waiting'),
    cancelling: [...seen.all('runs')].some(({ status }) => status === 'cancelling'),
    version: seen.control,
  }
}
