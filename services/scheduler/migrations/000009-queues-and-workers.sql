-- Settings of a project's queues. A queue exists wherever a task or a worker names it; one without a row has no settings.
create table queues (
  project_id uuid not null,
  name text not null,
  paused boolean not null default false,
  -- Null = no limit.
  concurrency integer,
  rate_limit integer,
  rate_per_ms bigint,
  -- Null = no turn of its own: it stands in line with all such queues of the project.
  weight float8,
  profile text,
  -- {"retry": …, "timeout": …} for tasks that say nothing themselves.
  defaults json,
  updated_at timestamptz not null default clock_timestamp(),
  primary key (project_id, name)
);

-- Raised by whatever replicas keep in memory: settings of queues, pauses of workers. Its row lock orders the commits, so
-- that whoever has read a version has read everything up to it.
create table engine_control (
  only_row boolean primary key default true check (only_row),
  version bigint not null
);

insert into engine_control (version) values (1);

alter table sessions
  add column version text not null default '',
  add column seen_at timestamptz not null default clock_timestamp(),
  add column ended_at timestamptz,
  -- Ended because it fell silent, not because it said good-bye.
  add column lost boolean not null default false;

update sessions set ended_at = until where state = 'ended';

create index sessions_by_worker on sessions (worker_id);
create index sessions_by_project on sessions (project_id, created_at desc, id desc);
create index sessions_held on sessions (id) where state in ('paused', 'draining');
create index sessions_ended on sessions (ended_at) where state = 'ended';

-- Serves the replica that has a worker's command stream, when the cancel was decided by another.
create index runs_cancelling on runs (id) where status = 'cancelling';

-- What a look needs is at the head of each (project, queue, uses): neither a paused queue nor tasks that no worker
-- executes are walked over, however many there are.
create index task_queue_by_kind on task_queue (project_id, queue, uses, priority desc, position);
drop index task_queue_by_project;
