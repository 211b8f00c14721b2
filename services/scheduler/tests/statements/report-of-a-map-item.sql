with
item_change as materialized (select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::bigint[], $6::uuid[], $7::uuid[], $8::text[], $9::boolean[], $10::int[], $11::boolean[], $12::uuid[], $13::text[], $14::text[], $15::text[], $16::double precision[]) as c(id, run_id, ordinal, expected, token, lease_id, session_id, ending, paused, output_bytes, limited, dead_letter_id, claim, report_source, report_output, duration_ms)),
locked_groups as materialized (
  select g.* from map_groups g join (select distinct run_id, ordinal from item_change) c using (run_id, ordinal)
  order by g.run_id, g.ordinal for update of g
),
locked_items as materialized (
  select t.id, t.run_id, t.status, t.token, t.lease_id, t.session_id, t.holds_slots from tasks t
  where t.id in (select id from item_change)
    and (select count(*) from locked_groups) >= 0
  order by t.id for update
),
won_items as materialized (
  select c.* from item_change c join locked_items t on t.id = c.id and t.run_id = c.run_id
    join locked_groups g on g.run_id = c.run_id and g.ordinal = c.ordinal
  where t.status = c.expected and g.closed_at is null and g.ending is not distinct from c.ending
    and g.paused = coalesce(c.paused, g.paused)
    and t.token = coalesce(c.token, t.token) and t.lease_id is not distinct from coalesce(c.lease_id, t.lease_id)
    and t.session_id is not distinct from coalesce(c.session_id, t.session_id)
    and not t.holds_slots
),
clock as materialized (select clock_timestamp() as now from (select count(*) from won_items) won_items),
applied as (select id, 0::bigint as rev, null::timestamptz as started_at, null::timestamptz as finished_at from won_items),
update_tasks as (
  update tasks t set
    status = c.status, rev = t.rev + 1, attempt = coalesce(c.attempt, t.attempt),
    max_attempts = coalesce(c.max_attempts, t.max_attempts), error = c.error::json,
    token = t.token + case when c.fence or c.lease_id is not null then 1 else 0 end,
    lease_id = case when c.fence then null else coalesce(c.lease_id, t.lease_id) end,
    session_id = coalesce(c.session_id, t.session_id),
    worker_id = coalesce(c.worker_id, t.worker_id),
    losses = case when c.status in ('queued', 'running') then 0 else t.losses end,
    queued_at = case when c.status in ('queued', 'running') then clock.now else t.queued_at end,
    started_at = case when c.status = 'running' then clock.now when c.status not in ('queued', 'waiting') then t.started_at end,
    deadline_at = case when c.status = 'running' then clock.now + make_interval(secs => (t.timeout_ms + 2000) / 1000.0) end,
    finished_at = case when c.status in ('succeeded', 'failed', 'skipped', 'cancelled') then clock.now end
  from unnest($17::uuid[], $18::uuid[], $19::text[], $20::int[], $21::int[], $22::text[], $23::boolean[], $24::boolean[], $25::uuid[], $26::uuid[], $27::text[]) as c(id, unit, status, attempt, max_attempts, error, attempt_failed, fence, lease_id, session_id, worker_id) join applied a on a.id = c.unit, clock
  where t.id = c.id
  returning t.*, c.error as failure, c.attempt_failed, c.lease_id as granted
),
written_tasks as (select id, rev, token, granted from update_tasks),
insert_payloads as (
  insert into task_payloads (task_id, input, output)
  select p.task_id, p.input::json, p.output::json from unnest($28::uuid[], $29::uuid[], $30::text[], $31::text[]) as p(task_id, unit, input, output) join applied a on a.id = p.unit
  on conflict (task_id) do update set
    input = coalesce(excluded.input, task_payloads.input), output = coalesce(excluded.output, task_payloads.output)
),
written_items as materialized (
  select t.*, w.limited, w.output_bytes, w.dead_letter_id, w.claim, w.report_source, w.report_output,
    w.duration_ms, case when t.status in ('succeeded', 'failed', 'skipped', 'cancelled') then -1 else 0 end as opened
  from update_tasks t join won_items w on w.id = t.id
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
