-- Workflows that nobody wrote: one for each type of one-off job. Their names hold a colon, which no user's name can.
alter table workflows add column hidden boolean not null default false;

-- hold: submitted, not started, until it is resumed. waiting: its workflow is paused, so its start has not been announced.
alter table run_requests
  add column hold boolean not null default false,
  add column start_at timestamptz(3),
  add column waiting boolean not null default false,
  add column traceparent text;
create index run_requests_waiting on run_requests (workflow_id, created_at, id) where waiting;

-- A workflow that is built a task at a time. Starting it publishes it under its name.
create table drafts (
  id uuid primary key,
  project_id uuid not null,
  name text not null,
  -- What it was published as.
  workflow_id uuid references workflows (id),
  created_by text not null,
  created_at timestamptz(3) not null
);
create table draft_tasks (
  id uuid primary key,
  draft_id uuid not null references drafts (id),
  position integer not null,
  key text not null,
  name text not null,
  uses text not null,
  "with" json,
  unique (draft_id, position),
  unique (draft_id, key)
);
create table draft_dependencies (
  id uuid primary key,
  draft_id uuid not null references drafts (id),
  task_id uuid not null references draft_tasks (id),
  depends_on_task_id uuid not null references draft_tasks (id),
  unique (task_id, depends_on_task_id)
);
create index draft_dependencies_of on draft_dependencies (draft_id);

-- Only the SHA-256 of a token is kept: it holds 256 random bits, so nothing slower is needed.
create table hooks (
  id uuid primary key,
  project_id uuid not null,
  workflow_id uuid not null references workflows (id),
  token_hash bytea not null unique,
  created_by text not null,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3)
);
create index hooks_of_workflow on hooks (workflow_id, created_at desc, id desc) where revoked_at is null;
