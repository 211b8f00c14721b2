import type { Pool } from '@millrace/postgres'
import type { LogRow } from '../../postgres/log-row.js'
import type { LowWaterMark } from './low-water-mark.js'
import { type HeldPart, PARTS } from './relay-parts.js'

/** pg_column_size is the stored, perhaps compressed, size: near enough for a bound. */
const maxPageBytes = 2 * 1024 * 1024
const maxPageRows = 1_000

/** Needs no lease: what the broker has, it has. */
export async function removeSent(pool: Pool, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await pool.query({ name: 'events-relay-remove', text: 'delete from log where id = any($1::bigint[])', values: [ids] })
}

/**
 * What is to be sent next. Parts that another relay took meanwhile give nothing. Rows are found because they are there,
 * not by a position, so a transaction that commits late leaves no gap. Tried: removing and reading in one statement; the
 * rows that are being removed have to be excluded one by one, which costs more than the round trip it saves.
 */
const readSql = `
with mine as materialized (
  select p.part from relay_parts p join unnest($1::int[], $2::bigint[]) as m (part, epoch)
    on m.part = p.part and m.epoch = p.epoch
),
page as materialized (
  select l.* from log l
  where l.id > $3 and (hashtextextended(l.key, 0) & ${PARTS - 1})::int in (select part from mine)
  order by l.id limit ${maxPageRows}
),
sized as (
  select page.*, sum(pg_column_size(data)) over (order by id rows between unbounded preceding and 1 preceding) as before
  from page
)
select pg_snapshot_xmin(s)::text as xmin, case when $4 then pg_current_xact_id()::text end as next, q.last_value - (not q.is_called)::int as head,
  r.id, r.topic, r.event_id as "eventId", r.source, r.subject, r.time, r.key, r.sequence, r.traceparent,
  r.data::text as data
from pg_current_snapshot() s cross join log_id_seq q
left join (select * from sized where before is null or before < ${maxPageBytes}) r on true
order by r.id`

export interface OutboxPage {
  rows: LogRow[]
  /** Every transaction below this had ended. */
  xmin: bigint
  /** Every transaction that had an xid is below this; only where it was asked for. */
  next: bigint | undefined
  /** The highest id that was ever taken, read a little after the snapshot. */
  head: number
}

type PageRow = { xmin: string; next: string | null; head: number } & (LogRow | { id: null })

export async function readOutbox(
  pool: Pool,
  parts: readonly HeldPart[],
  lowWaterMark: LowWaterMark,
): Promise<OutboxPage> {
  const { rows } = await pool.query<PageRow>({
    name: 'events-relay-read',
    text: readSql,
    values: [
      parts.map(({ part }) => part),
      parts.map(({ epoch }) => epoch),
      lowWaterMark.value,
      lowWaterMark.needsNext,
    ],
  })
  const first = rows[0]
  if (first === undefined) throw new Error('a snapshot has bounds')
  return {
    rows: rows.filter((row): row is PageRow & LogRow => row.id !== null),
    xmin: BigInt(first.xmin),
    next: first.next === null ? undefined : BigInt(first.next),
    head: first.head,
  }
}

/** What the broker refuses for good waits here for a person, and holds up nothing. */
export async function parkRefused(pool: Pool, row: LogRow, detail: string): Promise<void> {
  await pool.query(
    `insert into dlq (group_name, topic, log_id, event_id, key, subject, source, time, sequence, traceparent, data,
      reason, detail, tries)
    select 'relay', topic || '.dlq', id, event_id, key, subject, source, time, sequence, traceparent, data,
      'refused_by_broker', $2, 1
    from log where id = $1
    on conflict (group_name, event_id) do nothing`,
    [row.id, detail.slice(0, 2_000)],
  )
}
