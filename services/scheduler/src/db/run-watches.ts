import type { Queryable } from '@millrace/postgres'
import { insertEvents, isoText } from './event-sql.js'

export interface RunWatch {
  runId: string
  expectedMs: number
  /** RFC 3339; empty = when it was created. */
  startAt: string
}

/** A run that has a row, or has ended, is left as it is. */
export async function insertRunWatches(client: Queryable, watches: readonly RunWatch[]): Promise<void> {
  if (watches.length === 0) return
  await client.query({
    name: 'insert-run-watches',
    text: `
insert into run_watches (run_id, expected_ms, due_at)
select r.id, w.expected_ms, greatest(r.created_at, w.start_at) + make_interval(secs => w.expected_ms / 1000.0)
from unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) as w (run_id, expected_ms, start_at) join runs r on r.id = w.run_id
where r.finished_at is null
on conflict (run_id) do nothing`,
    values: [
      watches.map(({ runId }) => runId),
      watches.map(({ expectedMs }) => expectedMs),
      watches.map(({ startAt }) => startAt || null),
    ],
  })
}

/**
 * Since when something of the run is under way: its start, unless all of it still waited in the queue when that was told.
 * A retry must not move it, so the first that was seen stands.
 */
const begunAt = `coalesce(w.begun_at, case when w.start_told then least(t.first, clock.now) else r.started_at end)`

/**
 * Tells of runs that have not started, or not ended, within their time: `run.late`, once for each of the two. One
 * statement, so that a run is told of if and only if its watch says so; replicas skip each other's rows.
 * A timer that found its run early looks again when it is due.
 */
export async function publishLateRuns(
  client: Queryable,
  limit: number,
): Promise<{ published: string[]; looked: number }> {
  const result = await client.query<{ published: string[]; looked: number }>({
    name: 'publish-late-runs',
    text: `
with clock as materialized (select clock_timestamp() as now),
due as materialized (
  select w.* from run_watches w, clock where w.due_at <= clock.now order by w.due_at limit $1 for update of w skip locked
),
judged as materialized (
  select w.run_id, w.expected_ms, w.expected, ${begunAt} as begun_at,
    case when r.finished_at is not null then 'ended'
      when not t.begun then case when r.status = 'paused' or w.start_told then 'waits' else 'not_started' end
      when ${begunAt} + w.expected > clock.now then 'early'
      else 'running' end as found
  from (select *, make_interval(secs => expected_ms / 1000.0) as expected from due) w join runs r on r.id = w.run_id, clock,
    lateral (select coalesce(bool_or(t.status not in ('pending', 'queued')), false) as begun, min(t.started_at) as first
      from tasks t where t.run_id = w.run_id) t
),
moved as (
  update run_watches w set start_told = w.start_told or j.found = 'not_started',
    begun_at = case when j.found = 'early' then j.begun_at else w.begun_at end,
    due_at = case j.found when 'ended' then null when 'running' then null when 'early' then j.begun_at + j.expected
      else clock.now + j.expected end
  from judged j, clock where w.run_id = j.run_id
),
${insertEvents('publish_late', {
  topic: `'run.late'`,
  runId: 'r.id',
  subject: 'r.id',
  sequence: 'r.rev',
  traceparent: 'r.traceparent',
  data: `json_build_object('runId', r.id, 'projectId', r.project_id, 'workflow', r.workflow, 'version', r.version,
      'reason', j.found, 'status', r.status, 'expectedMs', j.expected_ms, 'labels', r.labels,
      'createdAt', ${isoText('r.created_at')}, 'startedAt', coalesce(${isoText('r.started_at')}, ''))`,
  from: `judged j join runs r on r.id = j.run_id, clock where j.found in ('not_started', 'running')`,
})}
select array(select found from judged where found in ('not_started', 'running')) as published,
  (select count(*) from due)::int as looked`,
    values: [limit],
  })
  return result.rows[0] ?? { published: [], looked: 0 }
}
