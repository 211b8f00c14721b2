-- Every failed attempt of a task, so that a dead letter can show them all.
create table attempt_failures (
  task_id uuid not null,
  attempt integer not null,
  at timestamptz not null,
  worker_id text,
  error json not null,
  primary key (task_id, attempt)
);

-- One for each task that finally failed.
create table dead_letters (
  id uuid primary key,
  project_id uuid not null,
  run_id uuid not null,
  task_id uuid not null,
  class text not null,
  error json not null,
  state text not null default 'open',
  at timestamptz not null
);

create index dead_letters_by_project on dead_letters (project_id, at desc, id desc);
create index dead_letters_by_task on dead_letters (task_id);
