create table artifacts (
  id uuid primary key,
  project_id uuid not null,
  run_id uuid,
  task text,
  -- Known when the scheduler could be asked at creation; decides what archiving the workflow means for the file.
  workflow text,
  name text not null,
  content_type text not null,
  declared_size bigint,
  declared_sha256 text,
  state text not null default 'pending' check (state in ('pending', 'complete')),
  -- What an upload URL names. It never changes, and content never lies there unless the store itself took the upload.
  upload_key text not null unique,
  -- Where the content lies. Every upload gets a key of its own, so a late one cannot change what was completed.
  object_key text unique,
  size bigint,
  sha256 text,
  created_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  completed_at timestamptz,
  retain_until timestamptz,
  check (state = 'pending' or (object_key is not null and size is not null and sha256 is not null))
);
-- Ids are UUIDv7: newest first is id descending.
create index artifacts_by_project on artifacts (project_id, id desc);
create index artifacts_by_run on artifacts (project_id, run_id, id desc) where run_id is not null;
create index artifacts_pending on artifacts (created_at) where state = 'pending';
create index artifacts_by_age on artifacts (created_at);
create index artifacts_expiring on artifacts (retain_until) where retain_until is not null;
create index artifacts_by_workflow on artifacts (project_id, workflow) where workflow is not null;

-- Every object is named by an artifact or by a row here: written before an upload begins and taken away by the
-- transaction that links the object; written again by the transaction that drops it. So a crash leaks nothing.
create table object_trash (
  object_key text primary key,
  delete_after timestamptz not null
);
create index object_trash_due on object_trash (delete_after);

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
