import type { Pool } from '@millrace/postgres'
import type { DeadLetter } from '../deliver.js'
import type { LogRow } from './log-row.js'

export async function insertDeadLetter(pool: Pool, group: string, letter: DeadLetter<LogRow>): Promise<void> {
  const { raw, reason, detail, tries } = letter
  await pool.query(
    `insert into dlq (group_name, topic, log_id, event_id, key, subject, source, time, sequence, traceparent, data,
      reason, detail, tries)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    on conflict (group_name, event_id) do nothing`,
    [
      group,
      `${raw.topic}.dlq`,
      raw.id,
      raw.eventId,
      raw.key,
      raw.subject,
      raw.source,
      raw.time,
      raw.sequence,
      raw.traceparent,
      raw.data,
      reason,
      detail.replaceAll('\0', '').slice(0, 2_000),
      tries,
    ],
  )
}
