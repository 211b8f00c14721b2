with
change as materialized (select * from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::boolean[], $8::text[], $9::boolean[], $10::boolean[], $11::boolean[], $12::boolean[]) as c(run_id, expected_rev, status, reason, set_output, output, set_error, error, started, ended, reopened, drop_retries)),
locked as materialized (
  select r.id, r.rev from runs r where r.id in (select run_id from change) order by r.id for update
),
guard as materialized (select * from unnest($13::uuid[], $14::uuid[], $15::bigint[], $16::uuid[], $17::uuid[]) as g(run_id, task_id, token, lease_id, session_id)),
locked_tasks as materialized (
  select t.id, t.status, t.token, t.lease_id, t.session_id, t.holds_slots from tasks t
  where t.id in (select task_id from guard) and (select count(*) from locked) >= 0
  order by t.id for update
),
won as materialized (
  select c.* from change c join locked l on l.id = c.run_id
  where case when l.rev = c.expected_rev then true else false end and c.run_id not in (
    select g.run_id from guard g left join locked_tasks t on t.id = g.task_id
    where (t.id is null or t.status <> 'running' or t.token <> g.token or t.lease_id is distinct from g.lease_id
        or t.session_id is distinct from coalesce(g.session_id, t.session_id) or t.holds_slots)
  )
),
clock as materialized (select clock_timestamp() as now from (select count(*) from won) won),
update_runs as (
  update runs r set
    rev = r.rev + 1, status = w.status, reason = w.reason,
    output = case when w.set_output then w.output::json else r.output end,
    error = case when w.set_error then w.error::json else r.error end,
    generation = r.generation + case when w.reopened then 1 else 0 end,
    started_at = case when w.started then clock.now else r.started_at end,
    finished_at = case when w.ended then clock.now when w.reopened then null else r.finished_at end
  from won w, clock where r.id = w.run_id
  returning r.id, r.rev, r.started_at, r.finished_at
),
applied as (select * from update_runs),
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
  from unnest($18::uuid[], $19::uuid[], $20::text[], $21::int[], $22::int[], $23::text[], $24::boolean[], $25::boolean[], $26::uuid[], $27::uuid[], $28::text[]) as c(id, unit, status, attempt, max_attempts, error, attempt_failed, fence, lease_id, session_id, worker_id) join applied a on a.id = c.unit, clock
  where t.id = c.id
  returning t.id, t.run_id, t.rev, t.token, t.attempt, t.worker_id, c.error as failure, c.attempt_failed, c.lease_id as granted
),
written_tasks as (select id, rev, token, granted from update_tasks),
insert_payloads as (
  insert into task_payloads (task_id, input, output)
  select p.task_id, p.input::json, p.output::json from unnest($29::uuid[], $30::uuid[], $31::text[], $32::text[]) as p(task_id, unit, input, output) join applied a on a.id = p.unit
  on conflict (task_id) do update set
    input = coalesce(excluded.input, task_payloads.input), output = coalesce(excluded.output, task_payloads.output)
),
delete_run_timers as (
  delete from timers t using applied a where t.run_id = a.id and a.finished_at is not null
),
task_revs as materialized (select jsonb_object_agg(t.id, t.rev) as by_id from written_tasks t),
insert_events as (
  insert into events.log (topic, key, subject, source, time, sequence, traceparent, data)
  select e.topic, e.run_id::text, coalesce(e.task_id, e.run_id)::text, e.source, clock.now, coalesce((task_revs.by_id ->> e.task_id::text)::bigint, a.rev),
    e.traceparent, (case when e.with_times
      then left(e.data, -1) || ',"startedAt":' || coalesce(to_json(to_char(a.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '""') || ',"finishedAt":' || coalesce(to_json(to_char(a.finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '""') || '}'
      else e.data end)::json
  from unnest($33::int[], $34::uuid[], $35::uuid[], $36::text[], $37::text[], $38::text[], $39::text[], $40::boolean[]) as e(position, run_id, task_id, topic, source, traceparent, data, with_times) join applied a on a.id = e.run_id, task_revs, clock
  order by e.position
),
asking as materialized (
  select k.project_id, k.queue, k.uses, coalesce(s.ahead, 0) as ahead,
    case when z.weight is null then '' else k.queue end as share, coalesce(z.weight, 1) as weight,
    coalesce(z.profile = 'batch', false) as is_batch
  from (
    with recursive step as (
      (select project_id, queue, uses from task_queue
        where project_id >= coalesce($42::uuid, '00000000-0000-0000-0000-000000000000')
          and project_id <= coalesce($42::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        order by project_id, queue, uses limit 1)
      union all
      select n.project_id, n.queue, n.uses from step, lateral (
        select q.project_id, q.queue, q.uses from task_queue q
        where (q.project_id, q.queue, q.uses) > (step.project_id, step.queue, step.uses)
          and q.project_id <= coalesce($42::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        order by q.project_id, q.queue, q.uses limit 1
      ) n
    )
    select project_id, queue, uses from step) k
    left join queues z on z.project_id = k.project_id and z.name = k.queue
    left join unnest($47::uuid[], $48::float8[]) as s(project_id, ahead) on s.project_id = k.project_id
  where (select x.state = 'active' from sessions x where x.id = $41::uuid)
    and k.uses = any($43::text[]) and ($45::boolean or k.queue = any($44::text[]))
    and z.paused is not true and z.concurrency is null and z.rate_limit is null
),
candidate as materialized (
  select p.*, c.task_id, c.part, c.priority, c.position,
    row_number() over (partition by p.project_id, p.share order by c.priority desc, c.position) / p.weight as cost
  from asking p cross join lateral ((
    select q.task_id, q.part, q.priority, q.position from task_queue q
    where q.project_id = p.project_id and q.queue = p.queue and q.uses = p.uses and q.part = 0
    order by q.priority desc, q.position
    limit $46::int
  )) c
),
turn as materialized (
  select r.task_id, r.ahead + r.place as turn, r.priority, r.position from (
    select c.task_id, c.ahead, c.priority, c.position, row_number() over (
      partition by c.project_id
      order by c.is_batch, coalesce(s.ahead, 0) + c.cost, c.priority desc, c.position
    ) as place
    from candidate c left join unnest($49::uuid[], $50::text[], $51::float8[])
      as s(project_id, queue, ahead) on s.project_id = c.project_id and s.queue = c.share
  ) r
  order by turn, r.priority desc, r.position
  limit $46::int
),
picked as (
  select q.task_id from task_queue q where q.task_id in (select task_id from turn) and q.part = 0
  for update skip locked
),
taken as (delete from task_queue q using picked p where q.task_id = p.task_id returning q.task_id),
leased as (
  update tasks t set
    status = 'running', rev = t.rev + 1, token = t.token + 1, lease_id = gen_random_uuid(),
    session_id = $41::uuid, worker_id = $52::text, started_at = clock.now,
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
select 'unit' as kind, a.id, a.rev, null::bigint as token, false as flag, null::json as detail
from applied a
union all
select 'task', t.id, t.rev, t.token, false, null from written_tasks t where t.granted is not null
union all
select 'lease', l.id, l.rev, l.token, false, json_build_object('taskId', l.id, 'runId', l.run_id, 'projectId', l.project_id,
    'workflow', r.workflow, 'versionId', r.version_id, 'ordinal', l.ordinal, 'key', l.key, 'idx', l.idx, 'uses', l.uses,
    'queue', l.queue, 'attempt', l.attempt, 'maxAttempts', l.max_attempts, 'token', l.token, 'leaseId', l.lease_id,
    'timeoutMs', l.timeout_ms, 'generation', r.generation, 'traceparent', r.traceparent, 'input', p.input) from leased l join runs r on r.id = l.run_id left join task_payloads p on p.task_id = l.id
