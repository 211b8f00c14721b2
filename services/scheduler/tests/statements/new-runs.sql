with
clock as materialized (select clock_timestamp() as now),
insert_runs as (
  insert into runs (id, project_id, workflow_id, workflow, version, version_id, status, reason, priority, labels,
    requested_by, traceparent, origin, queue_defaults, input, output, error, created_at, started_at, finished_at)
  select n.id, n.project_id, n.workflow_id, n.workflow, n.version, n.version_id, n.status, n.reason, n.priority,
    n.labels::json, n.requested_by, n.traceparent, n.origin::json, n.queue_defaults::json, n.input::json, n.output::json,
    n.error::json, n.created_at::timestamptz,
    case when n.started then clock.now end, case when n.ended then clock.now end
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::int[], $6::uuid[], $7::text[], $8::text[], $9::smallint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::timestamptz[], $19::boolean[], $20::boolean[]) as n(id, project_id, workflow_id, workflow, version, version_id, status, reason, priority, labels, requested_by, traceparent, origin, queue_defaults, input, output, error, created_at, started, ended), clock order by n.id
  on conflict (id) do nothing
  returning id, rev, started_at, finished_at
),
applied as (select * from insert_runs),
insert_tasks as (
  insert into tasks (id, run_id, project_id, ordinal, key, name, uses, queue, priority, status, attempt, max_attempts,
    timeout_ms, error, token, lease_id, session_id, worker_id, queued_at, started_at, deadline_at, finished_at)
  select n.id, n.run_id, n.project_id, n.ordinal, n.key, n.name, n.uses, n.queue, n.priority, n.status, n.attempt,
    n.max_attempts, n.timeout_ms, n.error::json, case when n.lease_id is null then 0 else 1 end, n.lease_id,
    n.session_id, n.worker_id,
    case when n.status in ('queued', 'running') then clock.now end,
    case when n.status = 'running' then clock.now end,
    case when n.status = 'running' then clock.now + make_interval(secs => (n.timeout_ms + 2000) / 1000.0) end,
    case when n.status in ('succeeded', 'failed', 'skipped', 'cancelled') then clock.now end
  from unnest($21::uuid[], $22::uuid[], $23::uuid[], $24::int[], $25::text[], $26::text[], $27::text[], $28::text[], $29::smallint[], $30::text[], $31::int[], $32::int[], $33::bigint[], $34::text[], $35::uuid[], $36::uuid[], $37::text[]) as n(id, run_id, project_id, ordinal, key, name, uses, queue, priority, status, attempt, max_attempts, timeout_ms, error, lease_id, session_id, worker_id) join insert_runs b on b.id = n.run_id, clock
  returning id, run_id, rev, token, lease_id as granted
),
written_tasks as (select id, rev, token, granted from insert_tasks),
insert_queue as (
  insert into task_queue (task_id, run_id, project_id, queue, uses, priority, child, part)
  select q.task_id, q.run_id, q.project_id, q.queue, q.uses, q.priority, false,
    q.part
  from unnest($38::uuid[], $39::uuid[], $40::uuid[], $41::text[], $42::text[], $43::smallint[], $44::smallint[]) as q(task_id, run_id, project_id, queue, uses, priority, part) join applied a on a.id = q.run_id
  on conflict (task_id) do nothing
),
task_revs as materialized (select jsonb_object_agg(t.id, t.rev) as by_id from written_tasks t),
insert_events as (
  insert into events.log (topic, key, subject, source, time, sequence, traceparent, data)
  select e.topic, e.run_id::text, coalesce(e.task_id, e.run_id)::text, e.source, clock.now, coalesce((task_revs.by_id ->> e.task_id::text)::bigint, a.rev),
    e.traceparent, (case when e.with_times
      then left(e.data, -1) || ',"startedAt":' || coalesce(to_json(to_char(a.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '""') || ',"finishedAt":' || coalesce(to_json(to_char(a.finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '""') || '}'
      else e.data end)::json
  from unnest($45::int[], $46::uuid[], $47::uuid[], $48::text[], $49::text[], $50::text[], $51::text[], $52::boolean[]) as e(position, run_id, task_id, topic, source, traceparent, data, with_times) join applied a on a.id = e.run_id, task_revs, clock
  order by e.position
)
select 'unit' as kind, a.id, a.rev, null::bigint as token, exists (select 1 from run_inbox i where i.run_id = a.id) as flag, null::json as detail
from applied a
union all
select 'task', t.id, t.rev, t.token, false, null from written_tasks t where t.granted is not null
