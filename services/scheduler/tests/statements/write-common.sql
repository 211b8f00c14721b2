create type batch_run_changes as (run_id uuid, expected_rev bigint, status text, reason text, set_output boolean, output text, set_error boolean, error text, started boolean, ended boolean, reopened boolean, drop_retries boolean);
create type batch_guards as (run_id uuid, task_id uuid, token bigint, lease_id uuid, session_id uuid);
create type batch_new_runs as (id uuid, project_id uuid, workflow_id uuid, workflow text, version int, version_id uuid, status text, reason text, priority smallint, labels text, requested_by text, traceparent text, origin text, queue_defaults text, input text, output text, error text, created_at text, started boolean, ended boolean);
create type batch_new_tasks as (id uuid, run_id uuid, project_id uuid, ordinal int, key text, name text, uses text, queue text, priority smallint, status text, attempt int, max_attempts int, timeout_ms bigint, error text, lease_id uuid, session_id uuid, worker_id text);
create type batch_task_changes as (id uuid, unit uuid, status text, attempt int, max_attempts int, error text, attempt_failed boolean, fence boolean, lease_id uuid, session_id uuid, worker_id text);
create type batch_payloads as (task_id uuid, unit uuid, input text, output text);
create type batch_new_timers as (unit uuid, run_id uuid, task_id uuid, kind text, delay_ms double precision);
create type batch_queued as (task_id uuid, run_id uuid, project_id uuid, queue text, uses text, priority smallint, part smallint);
create type batch_events as (position int, run_id uuid, task_id uuid, topic text, source text, traceparent text, data text, with_times boolean);
create function write_common(_run_changes batch_run_changes[], _guards batch_guards[], _new_runs batch_new_runs[], _new_tasks batch_new_tasks[], _task_changes batch_task_changes[], _payloads batch_payloads[], _new_timers batch_new_timers[], _queued batch_queued[], _events batch_events[], _ended boolean, _dequeues boolean, _dequeue_1 uuid, _dequeue_2 uuid, _dequeue_3 text[], _dequeue_4 text[], _dequeue_5 boolean, _dequeue_6 int, _dequeue_7 uuid[], _dequeue_8 float8[], _dequeue_9 uuid[], _dequeue_10 text[], _dequeue_11 float8[], _dequeue_12 text)
returns table (won boolean, inbox uuid[], tokens json, leases json) language plpgsql as $function$
#variable_conflict use_column
declare
  _now timestamptz; _count int;
begin
  if _run_changes is not null then
    perform 1 from runs r join unnest(_run_changes) c on r.id = c.run_id
      where r.rev = c.expected_rev order by r.id for update of r;
    get diagnostics _count = row_count;
    if _count <> cardinality(_run_changes) then return; end if;
  end if;
  if _guards is not null then
    perform 1 from tasks t join unnest(_guards) g on t.id = g.task_id
      where t.status = 'running' and t.token = g.token and t.lease_id = g.lease_id
        and t.session_id is not distinct from coalesce(g.session_id, t.session_id) and not t.holds_slots
      order by t.id for update of t;
    get diagnostics _count = row_count;
    if _count <> cardinality(_guards) then return; end if;
  end if;
  _now := clock_timestamp();
  if _new_runs is not null then
  with clock as (select _now as now) insert into runs (id, project_id, workflow_id, workflow, version, version_id, status, reason, priority, labels,
    requested_by, traceparent, origin, queue_defaults, input, output, error, created_at, started_at, finished_at)
  select n.id, n.project_id, n.workflow_id, n.workflow, n.version, n.version_id, n.status, n.reason, n.priority,
    n.labels::json, n.requested_by, n.traceparent, n.origin::json, n.queue_defaults::json, n.input::json, n.output::json,
    n.error::json, n.created_at::timestamptz,
    case when n.started then clock.now end, case when n.ended then clock.now end
  from unnest(_new_runs) n, clock order by n.id
  on conflict (id) do nothing;
    get diagnostics _count = row_count;
    if _count <> cardinality(_new_runs) then raise exception 'a run exists' using errcode = 'MR001'; end if;
    inbox := array(select i.run_id from run_inbox i join unnest(_new_runs) n on n.id = i.run_id);
  end if;
  if _new_tasks is not null then
  with clock as (select _now as now) insert into tasks (id, run_id, project_id, ordinal, key, name, uses, queue, priority, status, attempt, max_attempts,
    timeout_ms, error, token, lease_id, session_id, worker_id, queued_at, started_at, deadline_at, finished_at)
  select n.id, n.run_id, n.project_id, n.ordinal, n.key, n.name, n.uses, n.queue, n.priority, n.status, n.attempt,
    n.max_attempts, n.timeout_ms, n.error::json, case when n.lease_id is null then 0 else 1 end, n.lease_id,
    n.session_id, n.worker_id,
    case when n.status in ('queued', 'running') then clock.now end,
    case when n.status = 'running' then clock.now end,
    case when n.status = 'running' then clock.now + make_interval(secs => (n.timeout_ms + 2000) / 1000.0) end,
    case when n.status in ('succeeded', 'failed', 'skipped', 'cancelled') then clock.now end
  from unnest(_new_tasks) n, clock;
  end if;
  if _run_changes is not null then
  with clock as (select _now as now) update runs r set
    rev = r.rev + 1, status = w.status, reason = w.reason,
    output = case when w.set_output then w.output::json else r.output end,
    error = case when w.set_error then w.error::json else r.error end,
    generation = r.generation + case when w.reopened then 1 else 0 end,
    started_at = case when w.started then clock.now else r.started_at end,
    finished_at = case when w.ended then clock.now when w.reopened then null else r.finished_at end
  from (select * from unnest(_run_changes) c) w, clock where r.id = w.run_id;
  end if;
  if _ended then
    delete from timers t using runs r join unnest(_run_changes) c on r.id = c.run_id
      where t.run_id = r.id and r.finished_at is not null;
  end if;
  if _task_changes is not null then
  with clock as (select _now as now) update tasks t set
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
  from unnest(_task_changes) c, clock
  where t.id = c.id;
    tokens := (select json_object_agg(t.id, t.token) from tasks t join unnest(_task_changes) c on t.id = c.id
      where c.lease_id is not null);
  end if;
  if _payloads is not null then
  with clock as (select _now as now) insert into task_payloads (task_id, input, output)
  select p.task_id, p.input::json, p.output::json from unnest(_payloads) p
  on conflict (task_id) do update set
    input = coalesce(excluded.input, task_payloads.input), output = coalesce(excluded.output, task_payloads.output);
  end if;
  if _new_timers is not null then
  with clock as (select _now as now) insert into timers (run_id, task_id, kind, due_at)
  select t.run_id, t.task_id, t.kind, clock.now + make_interval(secs => t.delay_ms / 1000.0)
  from unnest(_new_timers) t, clock;
  end if;
  if _dequeues then
    with clock as (select _now as now),
asking as materialized (
  select k.project_id, k.queue, k.uses, coalesce(s.ahead, 0) as ahead,
    case when z.weight is null then '' else k.queue end as share, coalesce(z.weight, 1) as weight,
    coalesce(z.profile = 'batch', false) as is_batch
  from (
    with recursive step as (
      (select project_id, queue, uses from task_queue
        where project_id >= coalesce(_dequeue_2::uuid, '00000000-0000-0000-0000-000000000000')
          and project_id <= coalesce(_dequeue_2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        order by project_id, queue, uses limit 1)
      union all
      select n.project_id, n.queue, n.uses from step, lateral (
        select q.project_id, q.queue, q.uses from task_queue q
        where (q.project_id, q.queue, q.uses) > (step.project_id, step.queue, step.uses)
          and q.project_id <= coalesce(_dequeue_2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        order by q.project_id, q.queue, q.uses limit 1
      ) n
    )
    select project_id, queue, uses from step) k
    left join queues z on z.project_id = k.project_id and z.name = k.queue
    left join unnest(_dequeue_7::uuid[], _dequeue_8::float8[]) as s(project_id, ahead) on s.project_id = k.project_id
  where (select x.state = 'active' from sessions x where x.id = _dequeue_1::uuid)
    and k.uses = any(_dequeue_3::text[]) and (_dequeue_5::boolean or k.queue = any(_dequeue_4::text[]))
    and z.paused is not true and z.concurrency is null and z.rate_limit is null
),
candidate as materialized (
  select p.*, c.task_id, c.part, c.priority, c.position,
    row_number() over (partition by p.project_id, p.share order by c.priority desc, c.position) / p.weight as cost
  from asking p cross join lateral ((
    select q.task_id, q.part, q.priority, q.position from task_queue q
    where q.project_id = p.project_id and q.queue = p.queue and q.uses = p.uses and q.part = 0
    order by q.priority desc, q.position
    limit _dequeue_6::int
  )) c
),
turn as materialized (
  select r.task_id, r.ahead + r.place as turn, r.priority, r.position from (
    select c.task_id, c.ahead, c.priority, c.position, row_number() over (
      partition by c.project_id
      order by c.is_batch, coalesce(s.ahead, 0) + c.cost, c.priority desc, c.position
    ) as place
    from candidate c left join unnest(_dequeue_9::uuid[], _dequeue_10::text[], _dequeue_11::float8[])
      as s(project_id, queue, ahead) on s.project_id = c.project_id and s.queue = c.share
  ) r
  order by turn, r.priority desc, r.position
  limit _dequeue_6::int
),
picked as (
  select q.task_id from task_queue q where q.task_id in (select task_id from turn) and q.part = 0
  for update skip locked
),
taken as (delete from task_queue q using picked p where q.task_id = p.task_id returning q.task_id),
leased as (
  update tasks t set
    status = 'running', rev = t.rev + 1, token = t.token + 1, lease_id = gen_random_uuid(),
    session_id = _dequeue_1::uuid, worker_id = _dequeue_12::text, started_at = clock.now,
    deadline_at = clock.now + make_interval(secs => (t.timeout_ms + 2000) / 1000.0)
  from taken, clock
  where t.id = taken.task_id and t.status = 'queued'
  returning t.*
),
lease_events as (
  insert into events.log (topic, key, subject, source, time, sequence, traceparent, data)
  select 'task.updated', t.run_id::text, t.id::text, 'scheduler', clock.now, t.rev,
    r.traceparent, json_build_object('taskId', t.id, 'runId', t.run_id, 'projectId', t.project_id, 'workflow', r.workflow,
      'version', r.version, 'key', t.key, 'index', t.idx, 'uses', t.uses, 'queue', t.queue, 'status', t.status,
      'attempt', t.attempt, 'maxAttempts', t.max_attempts, 'workerId', coalesce(t.worker_id, ''))
  from leased t join runs r on r.id = t.run_id, clock
)
    select json_agg(json_build_object('taskId', l.id, 'runId', l.run_id, 'projectId', l.project_id,
    'workflow', r.workflow, 'versionId', r.version_id, 'ordinal', l.ordinal, 'key', l.key, 'idx', l.idx, 'uses', l.uses,
    'queue', l.queue, 'attempt', l.attempt, 'maxAttempts', l.max_attempts, 'token', l.token, 'leaseId', l.lease_id,
    'timeoutMs', l.timeout_ms, 'generation', r.generation, 'traceparent', r.traceparent, 'input', p.input)) into leases from leased l join runs r on r.id = l.run_id left join task_payloads p on p.task_id = l.id;
  end if;
  if _queued is not null then
  with clock as (select _now as now) insert into task_queue (task_id, run_id, project_id, queue, uses, priority, child, part)
  select q.task_id, q.run_id, q.project_id, q.queue, q.uses, q.priority, false,
    q.part
  from unnest(_queued) q
  on conflict (task_id) do nothing;
  end if;
  if _events is not null then
  with clock as (select _now as now) insert into events.log (topic, key, subject, source, time, sequence, traceparent, data)
  select e.topic, e.run_id::text, coalesce(e.task_id, e.run_id)::text, e.source, clock.now, coalesce(t.rev, a.rev),
    e.traceparent, (case when e.with_times
      then left(e.data, -1) || ',"startedAt":' || coalesce(to_json(to_char(a.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '""') || ',"finishedAt":' || coalesce(to_json(to_char(a.finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '""') || '}'
      else e.data end)::json
  from unnest(_events) e join runs a on a.id = e.run_id left join tasks t on t.id = e.task_id, clock
  order by e.position;
  end if;
  won := true;
  return next;
end
$function$;
