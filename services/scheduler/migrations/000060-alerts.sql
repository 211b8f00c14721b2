-- When a run is looked at because it may be late. The row stays until its run is deleted, so that an event that created the
-- run and comes again sets no second watch.
create table run_watches (
  run_id uuid primary key references runs (id) on delete cascade,
  expected_ms bigint not null,
  -- Null: nothing more is to be told of it.
  due_at timestamptz,
  -- From when its duration counts; null until a task of it was seen under way.
  begun_at timestamptz,
  start_told boolean not null default false
);
create index run_watches_due on run_watches (due_at) where due_at is not null;

-- Queues that are known to have a backlog, so that its beginning is told once.
create table queue_backlogs (
  project_id uuid not null,
  queue text not null,
  since timestamptz not null default clock_timestamp(),
  primary key (project_id, queue)
);

-- When what was last told of whom; what happens again soon after is only counted.
create table alert_limits (
  project_id uuid not null,
  topic text not null,
  subject text not null,
  at timestamptz not null,
  -- How often it happened up to `at` since it was told before, and since `at`.
  told int not null,
  since int not null default 0,
  primary key (project_id, topic, subject)
);
create index alert_limits_by_age on alert_limits (at);
