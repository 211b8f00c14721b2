-- What the migrations make; written by UPDATE_SCHEMAS=1 npx vitest run infra/tooling/dump-schemas.test.ts
create table alert_limits (
  at timestamp with time zone not null,
  project_id uuid not null,
  since integer not null default 0,
  subject text not null,
  told integer not null,
  topic text not null
);
create table attempt_failures (
  at timestamp with time zone not null,
  attempt integer not null,
  error json not null,
  task_id uuid not null,
  worker_id text
);
create table child_runs (
  run_id uuid not null,
  task_id uuid not null
);
create table dead_letters (
  at timestamp with time zone not null,
  class text not null,
  error json not null,
  id uuid not null,
  project_id uuid not null,
  run_id uuid not null,
  state text not null default 'open'::text,
  task_id uuid not null
);
create table deleted_projects (
  at timestamp with time zone not null default clock_timestamp(),
  emptied_at timestamp with time zone,
  project_id uuid not null
);
create table engine_control (
  only_row boolean not null default true,
  version bigint not null
);
create table engine_pulse (
  at timestamp with time zone not null,
  hold_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  only_row boolean not null default true
);
create table held_back (
  detail text not null,
  run_id uuid not null,
  task_id uuid not null,
  until timestamp with time zone not null
);
create table map_groups (
  closed_at timestamp with time zone,
  ending text,
  ending_at timestamp with time zone,
  items json not null,
  made integer not null default 0,
  max_parallel integer not null,
  open integer not null default 0,
  ordinal integer not null,
  output_bytes bigint not null default 0,
  paused boolean not null default false,
  project_id uuid not null,
  round integer not null,
  run_id uuid not null,
  run_rev bigint not null,
  task_id uuid not null,
  total integer not null
);
create table queue_backlogs (
  project_id uuid not null,
  queue text not null,
  since timestamp with time zone not null default clock_timestamp()
);
create table queues (
  concurrency integer,
  defaults json,
  name text not null,
  paused boolean not null default false,
  profile text,
  project_id uuid not null,
  rate_limit integer,
  rate_per_ms bigint,
  updated_at timestamp with time zone not null default clock_timestamp(),
  weight double precision
);
create table retention_policies (
  at timestamp with time zone not null,
  keep_ms bigint,
  keep_runs integer,
  project_id uuid not null,
  workflow text not null
);
create table run_admissions (
  id bigint not null generated always as identity,
  key text not null,
  leaving boolean not null default false,
  on_limit text not null,
  priority smallint not null,
  project_id uuid not null,
  run_id uuid not null,
  run_limit integer not null,
  state text not null default 'waiting'::text
);
create table run_deletions (
  run_id uuid not null
);
create table run_inbox (
  command json not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  dedupe_key text not null,
  id bigint not null generated always as identity,
  run_id uuid not null
);
create table run_signals (
  id text not null,
  name text not null,
  payload json not null,
  "position" bigint not null generated always as identity,
  run_id uuid not null
);
create table run_watches (
  begun_at timestamp with time zone,
  due_at timestamp with time zone,
  expected_ms bigint not null,
  run_id uuid not null,
  start_told boolean not null default false
);
create table runs (
  created_at timestamp with time zone not null,
  error json,
  finished_at timestamp with time zone,
  generation integer not null default 1,
  id uuid not null,
  input json,
  labels json not null default '{}'::json,
  origin json,
  output json,
  priority smallint not null default 5,
  project_id uuid not null,
  queue_defaults json,
  reason text,
  requested_by text not null default ''::text,
  rev bigint not null default 1,
  started_at timestamp with time zone,
  status text not null,
  traceparent text,
  version integer not null,
  version_id uuid not null,
  workflow text not null,
  workflow_id uuid
);
create table schedule_ticks (
  due_at timestamp with time zone not null,
  origin text not null,
  schedule_id uuid not null,
  tick timestamp(3) with time zone not null,
  tries integer not null default 0
);
create table schedules (
  catchup text not null,
  created_at timestamp(3) with time zone not null,
  created_by text not null,
  cron text not null,
  id uuid not null,
  input json not null,
  last_error json,
  last_run_id uuid,
  last_tick_at timestamp(3) with time zone,
  name text not null default ''::text,
  next_at timestamp(3) with time zone,
  paused boolean not null,
  project_id uuid not null,
  timezone text not null,
  updated_at timestamp(3) with time zone not null,
  workflow text not null
);
create table schema_migrations (
  applied_at timestamp with time zone not null default now(),
  checksum text not null,
  name text not null,
  version integer not null
);
create table sessions (
  circuits json,
  concurrency integer not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  ended_at timestamp with time zone,
  executors text[] not null,
  id uuid not null,
  lost boolean not null default false,
  name text not null,
  owner text,
  project_id uuid,
  queues text[] not null,
  sdk text not null,
  secret_hash bytea not null,
  seen_at timestamp with time zone not null default clock_timestamp(),
  state text not null default 'active'::text,
  until timestamp with time zone not null,
  version text not null default ''::text,
  worker_id text not null
);
create table slot_holds (
  key text not null,
  project_id uuid not null,
  scope text not null,
  task_id uuid not null
);
create table slots (
  idle_at timestamp with time zone not null default clock_timestamp(),
  in_use integer not null default 0,
  key text not null,
  project_id uuid not null,
  scope text not null,
  starts json
);
create table task_limits (
  limits json not null,
  task_id uuid not null
);
create table task_payloads (
  artifact_id uuid,
  artifact_size bigint,
  input json,
  output json,
  task_id uuid not null
);
create table task_progress (
  lease_id uuid not null,
  message text not null,
  number integer not null,
  percent double precision,
  task_id uuid not null
);
create table task_queue (
  child boolean not null default false,
  parked_key text,
  parked_limit integer,
  parked_per_ms double precision,
  parked_scope text,
  part smallint not null default 0,
  "position" bigint not null generated always as identity,
  priority smallint not null,
  project_id uuid not null,
  queue text not null,
  run_id uuid not null,
  task_id uuid not null,
  uses text not null
);
create table tasks (
  attempt integer not null default 0,
  deadline_at timestamp with time zone,
  error json,
  finished_at timestamp with time zone,
  holds_slots boolean not null default false,
  id uuid not null,
  idx integer not null default '-1'::integer,
  key text not null,
  lease_id uuid,
  losses integer not null default 0,
  max_attempts integer not null,
  name text not null,
  ordinal integer not null,
  priority smallint not null,
  project_id uuid not null,
  queue text not null,
  queued_at timestamp with time zone,
  rev bigint not null default 1,
  run_id uuid not null,
  session_id uuid,
  started_at timestamp with time zone,
  status text not null,
  timeout_ms bigint,
  token bigint not null default 0,
  uses text not null,
  worker_id text
);
create table timers (
  due_at timestamp with time zone not null,
  id bigint not null generated always as identity,
  kind text not null,
  run_id uuid not null,
  task_id uuid,
  tries integer not null default 0
);
alter table alert_limits add PRIMARY KEY (project_id, topic, subject);
alter table attempt_failures add PRIMARY KEY (task_id, attempt);
alter table child_runs add PRIMARY KEY (task_id);
alter table dead_letters add PRIMARY KEY (id);
alter table deleted_projects add PRIMARY KEY (project_id);
alter table engine_control add CHECK (only_row);
alter table engine_control add PRIMARY KEY (only_row);
alter table engine_pulse add CHECK (only_row);
alter table engine_pulse add PRIMARY KEY (only_row);
alter table held_back add PRIMARY KEY (task_id);
alter table map_groups add PRIMARY KEY (run_id, ordinal);
alter table queue_backlogs add PRIMARY KEY (project_id, queue);
alter table queues add PRIMARY KEY (project_id, name);
alter table retention_policies add PRIMARY KEY (project_id, workflow);
alter table run_admissions add PRIMARY KEY (run_id);
alter table run_deletions add PRIMARY KEY (run_id);
alter table run_inbox add UNIQUE (dedupe_key);
alter table run_inbox add PRIMARY KEY (id);
alter table run_signals add PRIMARY KEY (id);
alter table run_watches add PRIMARY KEY (run_id);
alter table run_watches add FOREIGN KEY (run_id) REFERENCES runs(id) ON DELETE CASCADE;
alter table runs add PRIMARY KEY (id);
alter table schedule_ticks add PRIMARY KEY (schedule_id, tick);
alter table schedule_ticks add FOREIGN KEY (schedule_id) REFERENCES schedules(id) ON DELETE CASCADE;
alter table schedules add PRIMARY KEY (id);
alter table schema_migrations add PRIMARY KEY (version);
alter table sessions add PRIMARY KEY (id);
alter table slot_holds add PRIMARY KEY (task_id, scope, key);
alter table slots add PRIMARY KEY (project_id, scope, key);
alter table task_limits add PRIMARY KEY (task_id);
alter table task_payloads add PRIMARY KEY (task_id);
alter table task_progress add PRIMARY KEY (task_id);
alter table task_queue add PRIMARY KEY (task_id);
alter table tasks add PRIMARY KEY (id);
alter table timers add PRIMARY KEY (id);
CREATE INDEX alert_limits_by_age ON alert_limits USING btree (at);
CREATE INDEX dead_letters_by_project ON dead_letters USING btree (project_id, at DESC, id DESC);
CREATE INDEX dead_letters_by_task ON dead_letters USING btree (task_id);
CREATE INDEX held_back_by_run ON held_back USING btree (run_id);
CREATE INDEX held_back_due ON held_back USING btree (until);
CREATE INDEX map_groups_live ON map_groups USING btree (run_id, ordinal) WHERE (closed_at IS NULL);
CREATE INDEX run_admissions_by_key ON run_admissions USING btree (project_id, key);
CREATE INDEX run_admissions_waiting ON run_admissions USING btree (project_id, key, priority DESC, id) WHERE (state = 'waiting'::text);
CREATE INDEX run_inbox_by_run ON run_inbox USING btree (run_id);
CREATE INDEX run_signals_by_run ON run_signals USING btree (run_id, "position");
CREATE INDEX run_watches_due ON run_watches USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX runs_by_parent ON runs USING btree (((origin #>> '{parent,runId}'::text[]))) WHERE (origin IS NOT NULL);
CREATE INDEX runs_by_project ON runs USING btree (project_id, created_at DESC, id DESC);
CREATE INDEX runs_by_rerun ON runs USING btree (((origin #>> '{rerun,runId}'::text[]))) WHERE (origin IS NOT NULL);
CREATE INDEX runs_cancelling ON runs USING btree (id) WHERE (status = 'cancelling'::text);
CREATE INDEX runs_ended ON runs USING btree (project_id, workflow, finished_at) INCLUDE (status) WHERE (finished_at IS NOT NULL);
CREATE INDEX runs_failed ON runs USING btree (project_id, created_at DESC, id DESC) WHERE (status = 'failed'::text);
CREATE INDEX runs_live ON runs USING btree (created_at) WHERE (finished_at IS NULL);
CREATE INDEX runs_open ON runs USING btree (project_id, workflow, status) WHERE (finished_at IS NULL);
CREATE INDEX schedule_ticks_due ON schedule_ticks USING btree (((origin <> 'clock'::text)), due_at);
CREATE INDEX schedules_by_project ON schedules USING btree (project_id, created_at DESC, id DESC);
CREATE INDEX schedules_due ON schedules USING btree (next_at) WHERE (NOT paused);
CREATE INDEX sessions_by_owner ON sessions USING btree (owner) WHERE (state <> 'ended'::text);
CREATE INDEX sessions_by_project ON sessions USING btree (project_id, created_at DESC, id DESC);
CREATE INDEX sessions_by_worker ON sessions USING btree (worker_id);
CREATE INDEX sessions_ended ON sessions USING btree (ended_at) WHERE (state = 'ended'::text);
CREATE INDEX sessions_held ON sessions USING btree (id) WHERE (state = ANY (ARRAY['paused'::text, 'draining'::text]));
CREATE INDEX sessions_live ON sessions USING btree (until) WHERE (state <> 'ended'::text);
CREATE INDEX slot_holds_by_key ON slot_holds USING btree (project_id, scope, key);
CREATE INDEX task_payloads_by_artifact ON task_payloads USING btree (artifact_id) WHERE (artifact_id IS NOT NULL);
CREATE INDEX task_payloads_unmoved ON task_payloads USING btree (task_id) WHERE ((artifact_id IS NOT NULL) AND (output IS NOT NULL));
CREATE INDEX task_queue_by_kind ON task_queue USING btree (project_id, queue, uses, part, priority DESC, "position");
CREATE INDEX task_queue_by_run ON task_queue USING btree (run_id);
CREATE INDEX task_queue_limited ON task_queue USING btree (task_id) WHERE (part = 1);
CREATE INDEX task_queue_parked ON task_queue USING btree (project_id, parked_scope, parked_key, priority DESC, "position") WHERE (parked_key IS NOT NULL);
CREATE INDEX tasks_by_run ON tasks USING btree (run_id, ordinal, idx);
CREATE INDEX tasks_deadline ON tasks USING btree (deadline_at) WHERE ((status = 'running'::text) AND (deadline_at IS NOT NULL));
CREATE INDEX tasks_running ON tasks USING btree (session_id) WHERE (status = 'running'::text);
CREATE INDEX tasks_waiting_approvals ON tasks USING btree (project_id) WHERE ((uses = 'approval'::text) AND (status = 'waiting'::text));
CREATE INDEX timers_by_run ON timers USING btree (run_id);
CREATE INDEX timers_due ON timers USING btree (due_at);
