with
slice as materialized (select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::uuid[], $5::int[], $6::int[], $7::int[], $8::text[], $9::text[], $10::text[], $11::text[], $12::smallint[], $13::bigint[], $14::boolean[]) as s(unit, run_id, ordinal, project_id, round, first_index, end_index, key, name, uses, queue, priority, timeout_ms, limited)),
locked_groups as materialized (
  select g.* from map_groups g join (select distinct run_id, ordinal from slice) c using (run_id, ordinal)
  order by g.run_id, g.ordinal for update of g
),
won_slices as materialized (
  select s.* from slice s join locked_groups g on g.run_id = s.run_id and g.ordinal = s.ordinal
  where g.round = s.round and g.made = s.first_index and g.ending is null and not g.paused and g.closed_at is null
),
clock as materialized (select clock_timestamp() as now from (select count(*) from won_slices) won_slices),
applied as (select unit as id, 0::bigint as rev, null::timestamptz as started_at, null::timestamptz as finished_at from won_slices),
new_item as materialized (select * from unnest($15::uuid[], $16::uuid[], $17::int[], $18::text[], $19::int[], $20::int[], $21::text[], $22::uuid[]) as n(id, unit, idx, status, attempt, max_attempts, error, dead_letter_id)),
insert_items as (
  insert into tasks (id, run_id, project_id, ordinal, key, idx, name, uses, queue, priority, status, attempt,
    max_attempts, timeout_ms, error, queued_at, finished_at)
  select n.id, s.run_id, s.project_id, s.ordinal, s.key, n.idx, s.name, s.uses, s.queue, s.priority, n.status, n.attempt,
    n.max_attempts, s.timeout_ms, n.error::json, case when n.status = 'queued' then clock.now end,
    case when n.status = 'failed' then clock.now end
  from new_item n join won_slices s on s.unit = n.unit, clock
  on conflict (id) do update set status = excluded.status, rev = tasks.rev + 1, attempt = excluded.attempt,
    max_attempts = excluded.max_attempts, error = coalesce(excluded.error, tasks.error), losses = 0,
    queued_at = excluded.queued_at, started_at = null, finished_at = excluded.finished_at
    where tasks.status in ('failed', 'skipped', 'cancelled')
  returning tasks.*
),
written_tasks as (select null::uuid as id, null::bigint as rev, null::bigint as token, null::uuid as granted where false),
insert_payloads as (
  insert into task_payloads (task_id, input, output)
  select p.task_id, p.input::json, p.output::json from unnest($23::uuid[], $24::uuid[], $25::text[], $26::text[]) as p(task_id, unit, input, output) join applied a on a.id = p.unit
  on conflict (task_id) do update set
    input = coalesce(excluded.input, task_payloads.input), output = coalesce(excluded.output, task_payloads.output)
),
written_items as materialized (
  select t.*, s.limited, 0 as output_bytes, null::uuid as dead_letter_id, null::text as claim,
    null::text as report_source, null::text as report_output, 0::double precision as duration_ms,
    case when t.status = 'failed' then 0 else 1 end as opened
  from insert_items t join won_slices s on s.run_id = t.run_id and s.ordinal = t.ordinal
),
insert_item_queue as (
  insert into task_queue (task_id, run_id, project_id, queue, uses, priority, child, part)
  select t.id, t.run_id, t.project_id, t.queue, t.uses, t.priority, true,
    case when t.limited then 1 else 0 end
  from written_items t where t.status = 'queued' and true order by t.idx
  on conflict (task_id) do nothing
),
insert_item_events as (
  insert into events.log (topic, key, subject, source, time, sequence, traceparent, data)
  select 'task.updated', t.run_id::text, t.id::text, 'scheduler', clock.now, t.rev,
    r.traceparent, (left(json_build_object('taskId', t.id, 'runId', t.run_id, 'projectId', t.project_id, 'workflow', r.workflow,
      'version', r.version, 'key', t.key, 'index', t.idx, 'uses', t.uses, 'queue', t.queue, 'status', t.status,
      'attempt', t.attempt, 'maxAttempts', t.max_attempts, 'workerId', coalesce(t.worker_id, ''), 'labels', r.labels)::text, -1) || coalesce(',"error":' || t.error::text, '') || '}')::json
  from written_items t join runs r on r.id = t.run_id, clock
),
group_change as (
  select run_id, ordinal, sum(opened)::int as opened, sum(output_bytes)::bigint as bytes, max(made) as made
  from (
    select run_id, ordinal, opened, output_bytes, null::int as made from written_items where opened <> 0
    union all select run_id, ordinal, 0, 0, end_index from won_slices
  ) c group by run_id, ordinal
),
count_items as (
  update map_groups g set open = g.open + y.opened, output_bytes = g.output_bytes + y.bytes,
    made = coalesce(y.made, g.made),
    closed_at = case when (coalesce(y.made, g.made) = g.total or g.ending is not null) and g.open + y.opened <= 0
      then clock.now end
  from group_change y, clock where g.run_id = y.run_id and g.ordinal = y.ordinal
  returning g.*
),
ends as (
  insert into run_inbox (run_id, command, dedupe_key)
  select g.run_id, json_build_object('kind', 'map-ended', 'taskId', g.task_id, 'round', g.round),
    'map:' || g.task_id || ':' || g.round
  from count_items g where g.closed_at is not null
  on conflict (dedupe_key) do nothing
)
select 'unit' as kind, a.id, a.rev, null::bigint as token, false as flag, null::json as detail
from applied a
union all
select 'task', t.id, t.rev, t.token, false, null from written_tasks t where t.granted is not null
union all
select 'group', g.run_id, null, null, g.closed_at is not null, null from count_items g
where g.closed_at is not null or (g.ending is null and not g.paused and g.made < g.total)
