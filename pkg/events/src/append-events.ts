import type { Queryable } from '@millrace/postgres'
import { currentTraceparent } from '@millrace/telemetry'
import type { AnyNewEvent } from './cloud-event.js'
import { encodeData } from './contract-check.js'

/** No text of Postgres can hold it, and a subject may come from a user. */
const withoutNul = (text: string): string => text.replaceAll('\0', '')

/** Writes events in the caller's transaction: they exist exactly if its state does. */
export async function appendEvents(tx: Queryable, source: string, events: readonly AnyNewEvent[]): Promise<void> {
  if (events.length === 0) return
  const traceparent = currentTraceparent() ?? null
  await tx.query({
    name: 'millrace-append-events',
    text: `insert into events.log (topic, key, subject, source, sequence, traceparent, data)
      select topic, key, subject, $1, sequence, traceparent, data::json
      from unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[])
        with ordinality as e (topic, key, subject, sequence, traceparent, data, n)
      order by n`,
    values: [
      source,
      events.map((event) => event.topic),
      events.map((event) => withoutNul(event.key)),
      events.map((event) => withoutNul(event.subject ?? event.key)),
      events.map((event) => event.sequence ?? 0),
      events.map((event) => event.traceparent ?? traceparent),
      events.map((event) => encodeData(event.topic, event.data)),
    ],
  })
}
