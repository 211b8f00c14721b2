-- What is counted against limits. `slots` has one row for each key that is or was lately in use:
--   scope task, queue:            in_use = attempts that run under the key (one row of slot_holds each)
--   scope task_rate, queue_rate:  starts = when attempts started lately
--   scope workflow:               in_use = runs under way (one admitted row of run_admissions each)
-- The order of keys is the order of their locks; "C" keeps it the same everywhere.
create table slots (
  project_id uuid not null,
  scope text collate "C" not null,
  key text collate "C" not null,
  in_use integer not null default 0,
  starts json,
  -- From then on a row that counts nothing may go.
  idle_at timestamptz not null default clock_timestamp(),
  primary key (project_id, scope, key)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);

-- Written by the statement that leases, deleted by the one that ends or fences the attempt: whoever deletes gives back.
create table slot_holds (
  task_id uuid not null,
  project_id uuid not null,
  scope text collate "C" not null,
  key text collate "C" not null,
  primary key (task_id, scope, key)
);

create index slot_holds_by_key on slot_holds (project_id, scope, key);

-- The limits of a task's attempt, with their keys resolved. Most tasks have none.
create table task_limits (
  task_id uuid primary key,
  limits json not null
);

alter table tasks add column holds_slots boolean not null default false;

-- A limited task is picked by the statement that takes slots alone; one that lacks a slot is parked under its key.
alter table task_queue
  -- 0 without limits, 1 limited and ready, 2 parked
  add column part smallint not null default 0,
  add column parked_scope text collate "C",
  add column parked_key text collate "C",
  add column parked_limit integer,
  add column parked_per_ms double precision;

create index task_queue_limited on task_queue (task_id) where part = 1;
create index task_queue_parked on task_queue (project_id, parked_scope, parked_key, priority desc, position)
  where parked_key is not null;

-- Runs of workflows with a limit, from the moment they could begin until they end.
create table run_admissions (
  run_id uuid primary key,
  id bigint generated always as identity,
  project_id uuid not null,
  key text collate "C" not null,
  run_limit integer not null,
  on_limit text not null,
  priority smallint not null,
  -- waiting → admitted | refused
  state text not null default 'waiting',
  -- Has been asked to make room.
  leaving boolean not null default false
);

create index run_admissions_by_key on run_admissions (project_id, key);
create index run_admissions_waiting on run_admissions (project_id, key, priority desc, id) where state = 'waiting';
