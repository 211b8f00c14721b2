import type { Queryable } from '@millrace/postgres'
import { groupEnds, HARD, itemUpdates } from './item-sql.js'
import { freedDetail, freeHolds, releaseParts } from './limits/release-fragment.js'
import type { SlotKey } from './limits/slots.js'
import { lockMaps, type MapPlace } from './map-groups.js'

export interface EndedSlice {
  ended: number
  closed: boolean
  /** Leases whose holders are to be asked to stop. */
  running: { taskId: string; sessionId: string; leaseId: string }[]
  /** Keys under which slots came free. */
  freed: SlotKey[]
}

/**
 * Ends a slice of the children of a map that is ending. What is not running ends at once; what runs may finish (`stop`),
 * or is left to its holder for a while, then ended without it, so that the holder's later report is stale.
 *
 * Locks: the group, then places in the queue, then the children, as a lease takes queue before task. What was leased
 * between the look and the lock is passed over: its row is looked at again under its lock.
 */
const text = `
with grp as materialized (
  select g.* from map_groups g
  where g.run_id = $1 and g.ordinal = $2 and g.ending is not null and g.closed_at is null
  for update
),
clock as materialized (select clock_timestamp() as now from (select count(*) from grp) g),
late as materialized (
  select g.ending in ${HARD} and g.ending_at < clock.now - make_interval(secs => $3 / 1000.0) as over from grp g, clock
),
seen as materialized (
  select t.id from tasks t, late where t.run_id = $1 and t.ordinal = $2 and t.idx >= 0
    and (t.status in ('queued', 'delayed', 'waiting') or (late.over and t.status = 'running'))
  limit $4
),
places as materialized (
  select q.task_id from task_queue q where q.task_id in (select id from seen) order by q.task_id for update
),
victim as materialized (
  select t.id, t.status from tasks t, late
  where t.id in (select id from seen) and (select count(*) from places) >= 0
    and (t.status in ('queued', 'delayed', 'waiting') or (late.over and t.status = 'running'))
  order by t.id for update of t
),
left_queue as (delete from task_queue q using victim v where q.task_id = v.id),
left_timers as (delete from timers t using victim v where t.run_id = $1 and t.task_id = v.id),
ended as (
  update tasks t set
    status = case when g.ending = 'stop' then 'skipped' else 'cancelled' end, rev = t.rev + 1,
    token = t.token + case when v.status = 'running' then 1 else 0 end,
    lease_id = case when v.status = 'running' then null else t.lease_id end,
    deadline_at = null, finished_at = clock.now, holds_slots = false
  from victim v, grp g, clock where t.id = v.id
  returning t.*
),
${itemUpdates('told', 'ended')},
${freeHolds('ended')},
${releaseParts(['freed_holds'])},
shrunk as (
  update map_groups g set open = g.open - n.ended, closed_at = case when g.open - n.ended <= 0 then clock.now end
  from (select count(*)::int as ended from ended) n, grp, clock
  where g.run_id = grp.run_id and g.ordinal = grp.ordinal and (n.ended > 0 or g.open <= 0)
  returning g.*, n.ended
),
${groupEnds('shrunk')}
select coalesce(s.ended, 0) as ended, s.closed_at is not null as closed, (
  select coalesce(json_agg(json_build_object('taskId', t.id, 'sessionId', t.session_id, 'leaseId', t.lease_id)), '[]')
  from tasks t
  where t.run_id = $1 and t.ordinal = $2 and t.idx >= 0 and t.status = 'running' and g.ending in ${HARD}
) as running, (select coalesce(json_agg(${freedDetail}), '[]') from freed f) as freed
from grp g left join shrunk s on s.run_id = g.run_id`

export async function endItems(
  tx: Queryable,
  map: MapPlace,
  graceMs: number,
  limit: number,
): Promise<EndedSlice | undefined> {
  if ((await lockMaps(tx, [map])) === 0) return undefined
  const values = [map.run_id, map.ordinal, graceMs, limit]
  const result = await tx.query<EndedSlice>({ name: 'end-children', text, values })
  return result.rows[0]
}
