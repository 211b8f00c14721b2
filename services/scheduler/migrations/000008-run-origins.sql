-- Where a run came from, when not from outside alone: the task it is a child of, the run it repeats. Null for most.
alter table runs add column origin json;

-- The run that a task with `uses: workflow` stands for: the one of its latest attempt.
create table child_runs (
  task_id uuid primary key,
  run_id uuid not null
);

-- How often a call that must happen was made. Ordinary timers never count.
alter table timers add column tries integer not null default 0;

-- An output over 64 KiB is an artifact. `output` is then null, or holds the text until the artifact has been written.
alter table task_payloads add column artifact_id uuid, add column artifact_size bigint;
create index task_payloads_unmoved on task_payloads (task_id) where artifact_id is not null and output is not null;

alter table runs add column output_artifact_id uuid, add column output_artifact_size bigint;
create index runs_unmoved on runs (id) where output_artifact_id is not null and output is not null;
