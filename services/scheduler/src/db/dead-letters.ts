import type { Queryable } from '@millrace/postgres'
import type { Failure } from '../domain/failure.js'
import { isCompensation } from './compensation.js'

export interface DeadLetterView {
  id: string
  run_id: string
  project_id: string
  workflow: string
  version: number
  task_id: string
  key: string
  idx: number
  error: Failure
  input: string | null
  at: Date
  state: 'open' | 'retried' | 'deleted'
  version_id: string
  ordinal: number
  attempts: { attempt: number; at: string; worker_id: string | null; error: Failure }[]
}

const columns = `d.id, d.run_id, d.project_id, r.workflow, r.version, r.version_id, d.task_id, t.key, t.idx, t.ordinal, d.error,
  p.input::text as input, d.at, d.state,
  (select coalesce(json_agg(json_build_object('attempt', f.attempt, 'at', f.at, 'worker_id', f.worker_id, 'error', f.error)
    order by f.attempt), '[]') from attempt_failures f where f.task_id = d.task_id and f.at <= d.at) as attempts`
const source = `dead_letters d join runs r on r.id = d.run_id join tasks t on t.id = d.task_id
  left join task_payloads p on p.task_id = d.task_id`

export async function findDeadLetter(
  client: Queryable,
  id: string,
  projectId: string,
): Promise<DeadLetterView | undefined> {
  const result = await client.query<DeadLetterView>({
    name: 'find-letter',
    text: `select ${columns} from ${source} where d.id = $1 and d.project_id = $2`,
    values: [id, projectId],
  })
  return result.rows[0]
}

export interface DeadLetterFilter {
  projectId: string
  runId: string | null
  workflow: string
  class: string
  state: string
  from: string | null
  to: string | null
  before: { at: string; id: string } | null
  limit: number
}

/** Newest first. What was deleted is shown only to those who ask for that state. */
export async function listOpenDeadLetters(client: Queryable, filter: DeadLetterFilter): Promise<DeadLetterView[]> {
  const result = await client.query<DeadLetterView>({
    name: 'list-letters',
    text: `
select ${columns} from ${source}
where d.project_id = $1
  and ($2 = '' or r.workflow = $2)
  and ($3 = '' or d.class = any(string_to_array($3, ',')))
  and (case when $4 = '' then d.state <> 'deleted' else d.state = any(string_to_array($4, ',')) end)
  and ($5::timestamptz is null or d.at >= $5::timestamptz)
  and ($6::timestamptz is null or d.at < $6::timestamptz)
  and ($7::timestamptz is null or (date_trunc('milliseconds', d.at), d.id) < ($7::timestamptz, $8::uuid))
  and ($9::uuid is null or d.run_id = $9::uuid)
order by date_trunc('milliseconds', d.at) desc, d.id desc limit $10`,
    values: [
      filter.projectId,
      filter.workflow,
      filter.class,
      filter.state,
      filter.from,
      filter.to,
      filter.before?.at ?? null,
      filter.before?.id ?? null,
      filter.runId,
      filter.limit,
    ],
  })
  return result.rows
}

/** Moves a dead letter on, once; false when it was not open any more. */
export async function closeDeadLetter(client: Queryable, id: string, to: 'retried' | 'deleted'): Promise<boolean> {
  const result = await client.query({
    name: 'close-letter',
    text: `update dead_letters set state = $2 where id = $1 and state = 'open'`,
    values: [id, to],
  })
  return (result.rowCount ?? 0) > 0
}

/** Retrying a run takes its open dead letters along. */
export async function closeDeadLettersOfRun(
  client: Queryable,
  runId: string,
  { compensationsOnly = false } = {},
): Promise<void> {
  await client.query({
    name: 'close-letters-of-run',
    text: `
update dead_letters d set state = 'retried'
where run_id = $1 and state = 'open'
  and (not $2 or exists (select 1 from tasks t where t.id = d.task_id and ${isCompensation}))`,
    values: [runId, compensationsOnly],
  })
}
