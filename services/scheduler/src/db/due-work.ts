import type { Queryable } from '@millrace/postgres'
import { QueuePart } from '../domain/queue.js'
import { mapHasWork } from './map-groups.js'

/** Which of the engine's loops have something to do. */
export interface DueWork {
  /** Timers that fire within the horizon. */
  timers: boolean
  /** Tasks whose wait is over. */
  deferred: boolean
  /** Sessions or attempts past their time, and tasks whose session is gone. */
  leases: boolean
  maps: boolean
  inbox: boolean
  /** Tasks in the queue, those without limits and those that need slots. */
  plain: boolean
  limited: boolean
  /** Tasks that are parked, and runs that wait to be admitted. */
  waiting: boolean
  /** Runs that are being cancelled. */
  cancelling: boolean
  /** Of the settings of queues and workers. */
  version: number
}

/**
 * One statement instead of one for each loop: idle, that is 4 statements a second for 28. A minimum takes one step down
 * an index; compared with `clock_timestamp()`, which is volatile, a condition on the rows themselves would read them all.
 */
const dueWorkSql = `
select
  coalesce((select min(due_at) from timers) <= clock_timestamp() + make_interval(secs => $1 / 1000.0), false) as timers,
  coalesce((select min(until) from held_back) <= clock_timestamp(), false) as deferred,
  coalesce((select min(until) from sessions where state <> 'ended') < clock_timestamp(), false)
    or coalesce((select min(deadline_at) from tasks where status = 'running' and deadline_at is not null) < clock_timestamp(), false)
    or exists (
      select 1 from tasks t left join sessions s on s.id = t.session_id and s.state <> 'ended'
      where t.status = 'running' and s.id is null
    ) as leases,
  exists (select 1 from map_groups g where ${mapHasWork}) as maps,
  exists (select 1 from run_inbox i join runs r on r.id = i.run_id) as inbox,
  exists (select 1 from task_queue where part = ${QueuePart.plain}) as plain,
  exists (select 1 from task_queue where part = ${QueuePart.limited}) as limited,
  exists (select 1 from task_queue where parked_key is not null)
    or exists (select 1 from run_admissions where state = 'waiting') as waiting,
  exists (select 1 from runs where status = 'cancelling') as cancelling,
  version
from engine_control`

export async function findDueWork(client: Queryable, horizonMs: number): Promise<DueWork> {
  const { rows } = await client.query<DueWork>({ name: 'find-due-work', text: dueWorkSql, values: [horizonMs] })
  if (!rows[0]) throw new Error('engine_control has no row')
  return rows[0]
}
