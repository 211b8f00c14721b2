create table workflows (
  id uuid primary key,
  project_id uuid not null,
  name text not null,
  description text not null default '',
  tags text[] not null default '{}',
  paused boolean not null default false,
  latest_version integer not null,
  latest_version_id uuid not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  archived_at timestamptz(3)
);
create unique index workflows_name on workflows (project_id, name) where archived_at is null;
create index workflows_newest on workflows (project_id, created_at desc, id desc) where archived_at is null;

-- Immutable: no statement updates or deletes a row of this table.
create table workflow_versions (
  id uuid primary key,
  workflow_id uuid not null references workflows (id),
  project_id uuid not null,
  name text not null,
  version integer not null,
  definition json not null,
  graph json not null,
  content_hash text not null,
  created_by text not null,
  created_at timestamptz(3) not null,
  unique (workflow_id, version)
);

-- A run from the moment its request was accepted until the scheduler has it; afterwards the memory of dedupe keys.
create table run_requests (
  id uuid primary key,
  project_id uuid not null,
  workflow_id uuid not null,
  workflow text not null,
  version_id uuid not null,
  version integer not null,
  input json not null,
  priority smallint not null,
  labels json not null,
  dedupe_key text,
  requested_by text not null,
  created_at timestamptz(3) not null,
  cancel_requested_at timestamptz(3),
  taken_at timestamptz(3)
);
create unique index run_requests_dedupe on run_requests (project_id, dedupe_key) where dedupe_key is not null;
create index run_requests_open on run_requests (project_id, created_at desc, id desc) where taken_at is null;

create table idempotency_keys (
  project_id uuid not null,
  subject text not null,
  key text not null,
  request_digest text not null,
  attempt uuid not null,
  locked_until timestamptz not null,
  expires_at timestamptz not null,
  status integer,
  headers json,
  body json,
  primary key (project_id, subject, key)
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);
