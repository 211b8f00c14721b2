import type { Pool } from '@millrace/postgres'

/** Has to stand in the rows of relay_parts, too. */
export const PARTS = 16
/** A relay that was killed is replaced after this. */
const leaseMs = 5_000

export interface HeldPart {
  part: number
  epoch: number
}

/**
 * One beat: shows that this relay lives, extends its leases, and takes free parts up to a fair share. Gives what it
 * holds, and how many of these are more than its share. Taking raises the epoch; the beat that extends does not.
 */
const beatSql = `
with clock as materialized (select clock_timestamp() as now),
me as (
  insert into relay_members (id, until) select $1, now + make_interval(secs => $2 / 1000.0) from clock
  on conflict (id) do update set until = excluded.until
),
gone as (delete from relay_members m using clock where m.until < clock.now and m.id <> $1),
share as materialized (
  select ceil(${PARTS}.0 / (1 + count(*)))::int as parts from relay_members m, clock where m.until >= clock.now and m.id <> $1
),
held as materialized (
  select p.part from relay_parts p, clock where p.owner = $1 and p.until >= clock.now for update of p
),
free as materialized (
  select p.part from relay_parts p, clock
  where (p.owner is null or p.until < clock.now)
  order by p.part
  limit greatest(0, (select parts from share) - (select count(*) from held))
  for update of p skip locked
),
beat as (
  update relay_parts p set
    owner = $1,
    until = clock.now + make_interval(secs => $2 / 1000.0),
    epoch = p.epoch + (free.part is not null)::int
  from clock, relay_parts own left join free on free.part = own.part
  where p.part = own.part and (free.part is not null or own.part in (select part from held))
  returning p.part, p.epoch
)
select coalesce((select json_agg(json_build_object('part', part, 'epoch', epoch)) from beat), '[]') as held,
  (select parts from share) as share`

export interface Beat {
  held: HeldPart[]
  share: number
  /** Local time until which the leases hold for certain. */
  validUntil: number
}

export async function beat(pool: Pool, relayId: string): Promise<Beat> {
  const askedAt = performance.now()
  const { rows } = await pool.query<{ held: HeldPart[]; share: number }>({
    name: 'events-relay-beat',
    text: beatSql,
    values: [relayId, leaseMs],
  })
  const { held = [], share = 0 } = rows[0] ?? {}
  return { held, share, validUntil: askedAt + leaseMs }
}

export async function releaseParts(pool: Pool, relayId: string, parts: readonly HeldPart[]): Promise<void> {
  await pool.query(
    `update relay_parts p set owner = null, until = '-infinity' from unnest($2::int[], $3::bigint[]) as r (part, epoch)
    where p.part = r.part and p.epoch = r.epoch and p.owner = $1`,
    [relayId, parts.map(({ part }) => part), parts.map(({ epoch }) => epoch)],
  )
}

export async function leaveRelays(pool: Pool, relayId: string): Promise<void> {
  await pool.query('delete from relay_members where id = $1', [relayId])
}
