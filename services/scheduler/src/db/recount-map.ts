import type { Queryable } from '@millrace/postgres'
import { groupEnds } from './item-sql.js'
import { lockMaps, type MapPlace } from './map-groups.js'

/** Counts a group's open items again under its lock; closes it if there are none. True when it was closed by that. */
export async function recountMap(tx: Queryable, map: MapPlace): Promise<boolean> {
  if ((await lockMaps(tx, [map])) === 0) return false
  const result = await tx.query<{ closed: boolean }>({
    name: 'recount-map',
    text: `
with counted as (
  update map_groups g set open = c.open,
    closed_at = case when c.open = 0 and (g.made = g.total or g.ending is not null) then clock_timestamp() end
  from (
    select count(*)::int as open from tasks t where t.run_id = $1 and t.ordinal = $2 and t.idx >= 0
      and t.status in ('queued', 'running', 'delayed', 'waiting')
  ) c
  where g.run_id = $1 and g.ordinal = $2
  returning g.*
),
${groupEnds('counted')}
select closed_at is not null as closed from counted`,
    values: [map.run_id, map.ordinal],
  })
  return result.rows[0]?.closed ?? false
}
