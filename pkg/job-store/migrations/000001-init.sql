-- Documents. `facts` holds everything heard of a job or a run; the columns beside it are what queries filter and sort
-- by, written together with it. `rev` counts writes: an upsert applies only on the rev its facts were merged from.
-- Room is left in each page (fillfactor), and nothing that changes over a job's life is indexed, so updates stay in
-- their page (HOT).
create table jobs (
  id uuid primary key,
  rev int not null,
  project_id uuid not null,
  run_id uuid not null,
  sequence bigint not null,
  status text,
  workflow text,
  task text,
  worker_ids text[] not null,
  created_at timestamptz(3) not null,
  queue_wait_ms bigint,
  duration_ms bigint,
  search text,
  facts jsonb not null
) with (fillfactor = 70);
create index jobs_by_time on jobs (project_id, created_at desc, id desc);
create index jobs_by_run on jobs (run_id, created_at desc, id desc);

create table runs (
  id uuid primary key,
  rev int not null,
  project_id uuid not null,
  sequence bigint not null,
  status text not null,
  workflow text not null,
  created_at timestamptz(3) not null,
  queue_wait_ms bigint,
  duration_ms bigint,
  search text,
  facts jsonb not null
) with (fillfactor = 70);
create index runs_by_time on runs (project_id, created_at desc, id desc);

create table artifacts (
  id uuid primary key,
  project_id uuid not null,
  run_id uuid not null,
  task text not null,
  document jsonb not null
);
create index artifacts_by_run on artifacts (run_id);

-- The project stands in the key so that nobody can take the place of another project's line.
-- `xid` lets a tail tell what is settled from what may still appear before it.
create table logs (
  project_id uuid not null,
  run_id uuid not null,
  task_id uuid not null,
  attempt int not null,
  seq bigint not null,
  at timestamptz(3) not null,
  level smallint not null,
  stream text not null,
  task text not null,
  message text not null,
  xid xid8 not null default pg_current_xact_id(),
  arrival bigint generated always as identity,
  primary key (task_id, attempt, seq, project_id)
);
create index logs_by_run on logs (run_id, at, arrival);
create index logs_by_arrival on logs (run_id, xid, arrival);
