-- Cancel, retry or delete of many runs: a job that any replica carries on where another stopped.
create table bulk_jobs (
  id uuid primary key,
  project_id uuid not null,
  action text not null check (action in ('cancel', 'retry', 'delete')),
  requested_by text not null,
  matched integer not null,
  done integer not null default 0,
  skipped integer not null default 0,
  failed integer not null default 0,
  -- The first few that failed, and why.
  errors json not null default '[]',
  created_at timestamptz(3) not null default clock_timestamp(),
  finished_at timestamptz(3),
  -- Whoever works on it has it until then.
  claimed_until timestamptz not null default '-infinity'
);
create index bulk_jobs_open on bulk_jobs (created_at) where finished_at is null;
create index bulk_jobs_by_project on bulk_jobs (project_id);
create index bulk_jobs_finished on bulk_jobs (finished_at) where finished_at is not null;

-- Runs that are still to do: a row goes when its run was dealt with.
create table bulk_items (
  job_id uuid not null references bulk_jobs (id) on delete cascade,
  run_id uuid not null,
  primary key (job_id, run_id)
);
