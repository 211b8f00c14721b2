import { type Pool, type Queryable, withTransaction } from '@millrace/postgres'
import { lockSlots, type SlotKey } from './slots.js'

/** What is really held under each key, whatever `in_use` says. */
const held = `
select project_id, scope, key, count(*)::int as held from slot_holds group by 1, 2, 3
union all
select project_id, 'workflow', key, count(*)::int from run_admissions where state = 'admitted' group by 1, 3`

/**
 * Keys whose `in_use` is not what is held. Both are written by the same statements, so that one snapshot never shows
 * them apart unless something went wrong.
 */
async function findDrift(client: Queryable, limit: number): Promise<SlotKey[]> {
  const result = await client.query<SlotKey>({
    name: 'find-slot-drift',
    text: `
select s.project_id as "projectId", s.scope, s.key
from slots s left join (${held}) h on h.project_id = s.project_id and h.scope = s.scope and h.key = s.key
where s.in_use <> coalesce(h.held, 0) limit $1`,
    values: [limit],
  })
  return result.rows
}

/** Holds of attempts that do not run, places of runs that have ended. */
async function removeStrayHolds(client: Queryable, limit: number): Promise<number> {
  const result = await client.query({
    name: 'remove-orphaned-holds',
    text: `
with hold as (
  delete from slot_holds h where (h.task_id, h.scope, h.key) in (
    select o.task_id, o.scope, o.key from slot_holds o left join tasks t on t.id = o.task_id
    where t.id is null or t.status <> 'running' limit $1
  ) and not exists (select 1 from tasks t where t.id = h.task_id and t.status = 'running')
  returning 1
),
place as (
  delete from run_admissions a where a.run_id in (
    select o.run_id from run_admissions o left join runs r on r.id = o.run_id where r.id is null or r.finished_at is not null limit $1
  )
  returning 1
)
select 1 from hold union all select 1 from place`,
    values: [limit],
  })
  return result.rowCount ?? 0
}

/** Counts what is held against `in_use` and corrects it: locks the key's row, then counts in a second statement. */
export async function reconcileSlots(pool: Pool, limit: number): Promise<number> {
  let found = await removeStrayHolds(pool, limit)
  for (const key of await findDrift(pool, limit)) if (await recount(pool, key)) found += 1
  return found
}

function recount(pool: Pool, key: SlotKey): Promise<boolean> {
  return withTransaction(pool, async (tx) => {
    await lockSlots(tx, [key])
    const result = await tx.query({
      name: 'recount-slot',
      text: `
update slots s set in_use = n.held
from (
  select (select count(*) from slot_holds where project_id = $1 and scope = $2 and key = $3)::int
    + (select count(*) from run_admissions where project_id = $1 and key = $3 and state = 'admitted' and $2 = 'workflow')::int
    as held
) n
where s.project_id = $1 and s.scope = $2 and s.key = $3 and s.in_use <> n.held`,
      values: [key.projectId, key.scope, key.key],
    })
    return (result.rowCount ?? 0) > 0
  })
}

/** How long a key that counts nothing is kept. */
const IDLE_MS = 60_000

/** Forgets keys that count nothing. Whoever locks one at this moment makes it anew. */
export async function removeIdleSlots(client: Queryable, limit: number): Promise<void> {
  await client.query({
    name: 'remove-idle-slots',
    text: `
delete from slots s using (
  select project_id, scope, key from slots
  where in_use = 0 and idle_at < clock_timestamp() - make_interval(secs => ${IDLE_MS} / 1000.0)
  limit $1 for update skip locked
) idle
where s.project_id = idle.project_id and s.scope = idle.scope and s.key = idle.key and s.in_use = 0`,
    values: [limit],
  })
}

export async function countParked(client: Queryable): Promise<{ tasks: number; runs: number }> {
  const result = await client.query<{ tasks: number; runs: number }>({
    name: 'count-parked',
    text: `
select (select count(*) from (select 1 from task_queue where parked_key is not null limit 100000) p)::int as tasks,
  (select count(*) from (select 1 from run_admissions where state = 'waiting' limit 100000) w)::int as runs`,
  })
  return result.rows[0] ?? { tasks: 0, runs: 0 }
}
