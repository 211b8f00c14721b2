import type { Queryable } from '@millrace/postgres'
import { SOURCE } from '../source.js'
import type { RunRequest } from './run-requests.js'

export interface NewRunRequest {
  run: RunRequest
  /** The caller named the version; otherwise it must still be the newest. */
  pinned: boolean
  dedupeKey: string | null
  /** Data of `workflow.started` and `audit.recorded`; no entry of its own without the latter. */
  startedJson: string
  auditJson: string | null
}

/**
 * `waiting`: created, but its workflow is paused, so its start is announced when that resumes. `stale`: the version is no
 * longer the newest, or the workflow is gone. `duplicate`: the dedupe key was used before.
 */
export type InsertOutcome = 'created' | 'waiting' | 'stale' | 'duplicate'

// Requests, their events and their audit entries in one statement: one round trip and one commit for the whole batch.
// That the version is the newest is checked where it is used, so a cache elsewhere may be stale without being wrong.
const insertAll = `
with wanted as (
  select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::int[], $7::boolean[], $8::text[],
    $9::int[], $10::text[], $11::text[], $12::text[], $13::timestamptz[], $14::boolean[], $15::timestamptz[], $16::text[],
    $17::text[], $18::text[], $19::text[])
    with ordinality as w (id, project_id, workflow_id, workflow, version_id, version, pinned, input, priority, labels,
      dedupe_key, requested_by, created_at, hold, start_at, traceparent, started, audit, origin, n)
), fresh as (
  select w.*, f.paused as waiting from wanted w join workflows f on f.id = w.workflow_id and f.project_id = w.project_id
  where f.archived_at is null and (w.pinned or f.latest_version_id = w.version_id)
), created as (
  insert into run_requests (id, project_id, workflow_id, workflow, version_id, version, input, priority, labels,
    dedupe_key, requested_by, created_at, hold, start_at, waiting, traceparent, origin)
  select id, project_id, workflow_id, workflow, version_id, version, input::json, priority, labels::json,
    dedupe_key, requested_by, created_at, hold, start_at, waiting, case when waiting then traceparent end, origin::json
  from fresh order by n
  on conflict do nothing
  returning id, waiting
), logged as (
  insert into events.log (topic, key, subject, source, sequence, traceparent, data)
  select e.topic, e.key, w.id::text, '${SOURCE}', 0, w.traceparent, e.data::json
  from created b join wanted w using (id)
  cross join lateral (values
    (1, 'workflow.started', w.id::text, w.started), (2, 'audit.recorded', w.project_id::text, w.audit)
  ) as e (part, topic, key, data)
  where e.data is not null and not (b.waiting and e.part = 1)
  order by w.n, e.part
)
select case when b.waiting then 'waiting' when b.id is not null then 'created' when f.id is null then 'stale' else 'duplicate' end as outcome
from wanted w left join fresh f using (id) left join created b using (id) order by w.n`

export async function insertRunRequests(db: Queryable, items: readonly NewRunRequest[]): Promise<InsertOutcome[]> {
  const ofRuns = <T>(value: (run: RunRequest) => T): T[] => items.map(({ run }) => value(run))
  const { rows } = await db.query<{ outcome: InsertOutcome }>({
    name: 'workflow-insert-run-requests',
    text: insertAll,
    values: [
      ofRuns((run) => run.id),
      ofRuns((run) => run.projectId),
      ofRuns((run) => run.workflowId),
      ofRuns((run) => run.workflow),
      ofRuns((run) => run.versionId),
      ofRuns((run) => run.version),
      items.map((item) => item.pinned),
      ofRuns((run) => run.inputJson),
      ofRuns((run) => run.priority),
      ofRuns((run) => JSON.stringify(run.labels)),
      items.map((item) => item.dedupeKey),
      ofRuns((run) => run.requestedBy),
      ofRuns((run) => run.createdAt.toISOString()),
      ofRuns((run) => run.hold),
      ofRuns((run) => run.startAt?.toISOString() ?? null),
      ofRuns((run) => run.traceparent),
      items.map((item) => item.startedJson),
      items.map((item) => item.auditJson),
      ofRuns((run) => run.origin && JSON.stringify(run.origin)),
    ],
  })
  return rows.map((row) => row.outcome)
}
