import { QueuePart } from '../lease-fragment.js'
import type { WriteRows } from '../write-rows.js'
import { freedDetail, freeHolds, releaseParts } from './release-fragment.js'

type Use = (key: keyof WriteRows) => string

/** What a batch needs of the statement because of limits; most batches need nothing. */
export interface LimitShape {
  taskLimits: boolean
  queuedLimited: boolean
  /** Attempts end that may hold slots. */
  releases: boolean
  entering: boolean
  leaving: boolean
}

export const limitShapeOf = (rows: WriteRows): LimitShape => ({
  taskLimits: rows.taskLimits.length > 0,
  queuedLimited: rows.queuedLimited.length > 0,
  releases: rows.taskChanges.some((row) => row.mayHoldSlots),
  entering: rows.entering.length > 0,
  leaving: rows.leaving.length > 0,
})

const frees = (shape: LimitShape): boolean => shape.releases || shape.leaving

/** Never takes a slot: that is the lease's alone, and one statement cannot both take and give back. */
export function limitParts(shape: LimitShape, use: Use): string[] {
  const parts: string[] = []
  if (shape.taskLimits) {
    parts.push(`limited as (
  insert into task_limits (task_id, limits)
  select l.task_id, l.limits::json from ${use('taskLimits')} join applied a on a.id = l.run_id
  on conflict (task_id) do update set limits = excluded.limits
)`)
  }
  if (shape.queuedLimited) {
    parts.push(`enqueued_limited as (
  insert into task_queue (task_id, run_id, project_id, queue, uses, priority, part)
  select q.task_id, q.run_id, q.project_id, q.queue, q.uses, q.priority, ${QueuePart.limited}
  from ${use('queuedLimited')} join applied a on a.id = q.run_id
  on conflict (task_id) do nothing
)`)
  }
  if (shape.entering) {
    parts.push(`entered as (
  insert into run_admissions (run_id, project_id, key, run_limit, on_limit, priority)
  select n.run_id, n.project_id, n.key, n.run_limit, n.on_limit, n.priority
  from ${use('entering')} join applied a on a.id = n.run_id
  on conflict (run_id) do nothing
)`)
  }
  if (shape.releases) parts.push(freeHolds('updated'))
  if (shape.leaving) {
    parts.push(`left_line as (
  delete from run_admissions d using ${use('leaving')}, applied a where a.id = u.run_id and d.run_id = u.run_id
  returning d.project_id, 'workflow'::text as scope, d.key, d.state
),
given_up as (select project_id, scope, key from left_line where state = 'admitted')`)
  }
  const sources = [shape.releases ? 'freed_holds' : '', shape.leaving ? 'given_up' : ''].filter(Boolean)
  if (sources.length > 0) parts.push(releaseParts(sources))
  return parts
}

/** Keys under which something came free, so that whoever waits there can be looked at afterwards. */
export const limitResults = (shape: LimitShape): string[] =>
  frees(shape) ? [`select 'slot', null::uuid, null::bigint, null::bigint, false, ${freedDetail} from freed f`] : []
