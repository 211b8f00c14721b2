-- How long a project keeps its files that belong to no run, as far as it said so; those of runs go with their runs.
create table project_retention (
  project_id uuid primary key,
  -- Null: not said. 0: for ever.
  keep_ms bigint,
  -- When it was said: events may come twice and in any order.
  at timestamptz not null
);

-- The oldest of such files first: a sweep reads what is past its time, and nothing else.
create index artifacts_without_run on artifacts (project_id, created_at) where run_id is null and state = 'complete';
