-- Runs started by the clock. A schedule names its workflow, of whatever version is the newest when a tick comes.
create table schedules (
  id uuid primary key,
  project_id uuid not null,
  workflow text not null,
  cron text not null,
  timezone text not null,
  input json not null,
  catchup text not null,
  paused boolean not null,
  created_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- The first tick that is not planned yet; null = there is none any more.
  next_at timestamptz(3),
  last_tick_at timestamptz(3),
  last_run_id uuid,
  last_error json
);

create index schedules_by_project on schedules (project_id, created_at desc, id desc);
create index schedules_due on schedules (next_at) where not paused;

-- A run that is owed: planned with the step of its schedule's next_at, deleted by the statement that records the answer
-- of CreateRun. Until then the call is repeated, always with the same dedupe key, so that no tick has two runs.
create table schedule_ticks (
  schedule_id uuid not null references schedules (id) on delete cascade,
  tick timestamptz(3) not null,
  -- clock: came due; late: caught up after downtime; backfill: asked for.
  origin text not null,
  -- When it is tried (again). Whoever tries pushes it out first, so that others leave it alone meanwhile.
  due_at timestamptz not null,
  tries integer not null default 0,
  primary key (schedule_id, tick)
);

-- What is on time goes first: a backfill of a thousand ticks holds up nobody's nightly run.
create index schedule_ticks_due on schedule_ticks ((origin <> 'clock'), due_at);
