/**
 * Gives back what the CTEs in `sources` freed, each with columns (project_id, scope, key), as CTEs `freed`, `slot_locks`
 * and `released`: one summed decrement a key, under locks taken in key order. Needs a CTE `clock`.
 *
 * Who parked meanwhile cannot be seen from here: un-parking is a statement of its own, begun after this one committed.
 */
export const releaseParts = (sources: readonly string[]): string => `freed as materialized (
  select f.project_id, f.scope, f.key, count(*)::int as slots
  from (${sources.map((source) => `select project_id, scope, key from ${source}`).join(' union all ')}) f
  group by 1, 2, 3
),
slot_locks as materialized (
  select s.project_id, s.scope, s.key, f.slots
  from slots s join freed f on s.project_id = f.project_id and s.scope = f.scope and s.key = f.key
  order by s.project_id, s.scope, s.key
  for update of s
),
released as (
  update slots s set in_use = greatest(0, s.in_use - l.slots), idle_at = clock.now
  from slot_locks l, clock where s.project_id = l.project_id and s.scope = l.scope and s.key = l.key
)`

/** Deletes the holds of the tasks that CTE `ended` has, as CTE `freed_holds`. Whoever deletes a hold gives it back. */
export const freeHolds = (ended: string): string => `freed_holds as (
  delete from slot_holds h using ${ended} e where h.task_id = e.id returning h.project_id, h.scope, h.key
)`

export const freedDetail = `json_build_object('projectId', f.project_id, 'scope', f.scope, 'key', f.key)`
