-- The state of every run and task. Values of users are json, never jsonb: jsonb refuses NUL and lone surrogates and
-- would fail a whole batch for one row.

create table runs (
  id uuid primary key,
  project_id uuid not null,
  workflow_id uuid,
  workflow text not null,
  version integer not null,
  version_id uuid not null,
  status text not null,
  reason text,
  rev bigint not null default 1,
  generation integer not null default 1,
  priority smallint not null default 5,
  labels json not null default '{}',
  requested_by text not null default '',
  traceparent text,
  input json,
  output json,
  error json,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz
) with (fillfactor = 70);

create index runs_by_project on runs (project_id, created_at desc, id desc);
-- Small: what has ended leaves it. Serves the reconciler.
create index runs_live on runs (created_at) where finished_at is null;

create table tasks (
  id uuid primary key,
  run_id uuid not null,
  project_id uuid not null,
  ordinal integer not null,
  key text not null,
  idx integer not null default -1,
  name text not null,
  uses text not null,
  queue text not null,
  priority smallint not null,
  status text not null,
  rev bigint not null default 1,
  attempt integer not null default 0,
  max_attempts integer not null,
  timeout_ms bigint,
  losses integer not null default 0,
  token bigint not null default 0,
  lease_id uuid,
  session_id uuid,
  worker_id text,
  deadline_at timestamptz,
  error json,
  queued_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz
) with (fillfactor = 70);

create index tasks_by_run on tasks (run_id, ordinal, idx);
create index tasks_running on tasks (session_id) where status = 'running';
create index tasks_deadline on tasks (deadline_at) where status = 'running' and deadline_at is not null;

-- Out of the hot rows: an update of a task never copies what the user gave or got.
create table task_payloads (
  task_id uuid primary key,
  input json,
  output json
);

-- Tasks that are ready and not leased, in the order of dispatch.
create table task_queue (
  task_id uuid primary key,
  run_id uuid not null,
  project_id uuid not null,
  queue text not null,
  uses text not null,
  priority smallint not null,
  position bigint generated always as identity
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000);

create index task_queue_order on task_queue (priority desc, position);
create index task_queue_by_run on task_queue (run_id);

create table timers (
  id bigint generated always as identity primary key,
  run_id uuid not null,
  task_id uuid,
  kind text not null,
  due_at timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000);

create index timers_due on timers (due_at);
create index timers_by_run on timers (run_id);

-- What one run, or the outside, owes a run: written in the sender's transaction, deleted in the target's.
create table run_inbox (
  id bigint generated always as identity primary key,
  run_id uuid not null,
  command json not null,
  dedupe_key text not null unique,
  created_at timestamptz not null default clock_timestamp()
);

create index run_inbox_by_run on run_inbox (run_id);

-- A worker process. Outlives reconnects and restarts of the scheduler.
create table sessions (
  id uuid primary key,
  secret_hash bytea not null,
  project_id uuid,
  worker_id text not null,
  name text not null,
  executors text[] not null,
  queues text[] not null,
  concurrency integer not null,
  sdk text not null,
  state text not null default 'active',
  until timestamptz not null,
  created_at timestamptz not null default clock_timestamp()
);

create index sessions_live on sessions (until) where state <> 'ended';

-- When a scheduler last looked after the leases: tells a gap in which none lived.
create table engine_pulse (
  only_row boolean primary key default true check (only_row),
  at timestamptz not null
);

insert into engine_pulse (at) values (clock_timestamp());
