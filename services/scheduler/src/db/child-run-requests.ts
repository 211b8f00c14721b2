import type { Queryable } from '@millrace/postgres'
import type { RunOrigin } from '../domain/origin.js'

/** A child run that is owed, with all that asking for it takes. */
export interface ChildRunRequest {
  run_id: string
  task_id: string
  /** This one included. */
  tries: number
  task_status: string
  attempt: number
  key: string
  idx: number
  /** The resolved `with` as JSON text. */
  input: string | null
  run_status: string
  project_id: string
  priority: number
  labels: Record<string, string>
  origin: RunOrigin | null
}

/** A timer may go off a little before its time by the database's clock. */
const EARLY_MS = 100

/** Takes a due call for a while; undefined when another has it, or nobody needs it any more. */
export async function claimChildRequest(
  client: Queryable,
  timerId: number,
  claimMs: number,
): Promise<ChildRunRequest | undefined> {
  const result = await client.query<ChildRunRequest>({
    name: 'claim-child-request',
    text: `
with claimed as (
  update timers set due_at = clock_timestamp() + make_interval(secs => $2 / 1000.0), tries = tries + 1
  where id = $1 and due_at <= clock_timestamp() + make_interval(secs => ${EARLY_MS} / 1000.0)
  returning run_id, task_id, tries
)
select c.run_id, c.task_id, c.tries, t.status as task_status, t.attempt, t.key, t.idx, p.input::text as input,
  r.status as run_status, r.project_id, r.priority, r.labels, r.origin
from claimed c join tasks t on t.id = c.task_id join runs r on r.id = c.run_id
left join task_payloads p on p.task_id = c.task_id`,
    values: [timerId, claimMs],
  })
  return result.rows[0]
}

export async function postponeChildRequest(client: Queryable, timerId: number, afterMs: number): Promise<void> {
  await client.query({
    name: 'postpone-child-request',
    text: `update timers set due_at = clock_timestamp() + make_interval(secs => $2 / 1000.0) where id = $1`,
    values: [timerId, afterMs],
  })
}
