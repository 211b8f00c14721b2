-- Ended runs by their age within a workflow: finds what is too old or too many, and nothing else. The update that ends a
-- run changes `runs_live` as well, so it never stayed within its page (HOT) before this index either.
create index runs_ended on runs (project_id, workflow, finished_at) include (status) where finished_at is not null;

-- How long ended runs are kept, as far as somebody said so. workflow '' = all of the project that say nothing themselves.
create table retention_policies (
  project_id uuid not null,
  workflow text not null,
  -- Null: not said here. 0: for ever, any number.
  keep_ms bigint,
  keep_runs integer,
  -- When it was said: events may come twice and in any order.
  at timestamptz not null,
  primary key (project_id, workflow)
);

-- Runs that nobody can see any more and whose tasks have not all been removed.
create table run_deletions (
  run_id uuid primary key
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000);

-- Projects that were deleted. Kept while events of theirs may still come.
create table deleted_projects (
  project_id uuid primary key,
  at timestamptz not null default clock_timestamp(),
  -- The scheduler has nothing of it any more, and said so.
  emptied_at timestamptz
);

-- A rerun shares large outputs with the run that it repeats.
create index task_payloads_by_artifact on task_payloads (artifact_id) where artifact_id is not null;
