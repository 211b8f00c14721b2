-- What the migrations make; written by UPDATE_SCHEMAS=1 npx vitest run infra/tooling/dump-schemas.test.ts
create table bulk_items (
  generation integer,
  job_id uuid not null,
  run_id uuid not null
);
create table bulk_jobs (
  action text not null,
  claimed_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  done integer not null default 0,
  errors json not null default '[]'::json,
  failed integer not null default 0,
  finished_at timestamp(3) with time zone,
  id uuid not null,
  matched integer not null,
  project_id uuid not null,
  requested_by text not null,
  skipped integer not null default 0
);
create table daily_runs (
  day date not null,
  project_id uuid not null,
  revision bigint not null,
  runs bigint not null
);
create table draft_dependencies (
  depends_on_task_id uuid not null,
  draft_id uuid not null,
  id uuid not null,
  task_id uuid not null
);
create table draft_tasks (
  draft_id uuid not null,
  id uuid not null,
  key text not null,
  name text not null,
  "position" integer not null,
  uses text not null,
  "with" json
);
create table drafts (
  created_at timestamp(3) with time zone not null,
  created_by text not null,
  id uuid not null,
  name text not null,
  project_id uuid not null,
  workflow_id uuid
);
create table hooks (
  created_at timestamp(3) with time zone not null,
  created_by text not null,
  id uuid not null,
  input_expression text,
  project_id uuid not null,
  revoked_at timestamp(3) with time zone,
  token_hash bytea not null,
  verify_header text,
  verify_secret bytea,
  verify_type text,
  workflow_id uuid not null
);
create table idempotency_keys (
  attempt uuid not null,
  body json,
  expires_at timestamp with time zone not null,
  headers json,
  key text not null,
  locked_until timestamp with time zone not null,
  project_id uuid not null,
  request_digest text not null,
  status integer,
  subject text not null
);
create table run_requests (
  cancel_requested_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  dedupe_key text,
  hold boolean not null default false,
  id uuid not null,
  input json not null,
  labels json not null,
  origin json,
  priority smallint not null,
  project_id uuid not null,
  requested_by text not null,
  start_at timestamp(3) with time zone,
  taken_at timestamp(3) with time zone,
  traceparent text,
  version integer not null,
  version_id uuid not null,
  waiting boolean not null default false,
  workflow text not null,
  workflow_id uuid not null
);
create table schema_migrations (
  applied_at timestamp with time zone not null default now(),
  checksum text not null,
  name text not null,
  version integer not null
);
create table workflow_versions (
  content_hash text not null,
  created_at timestamp(3) with time zone not null,
  created_by text not null,
  definition json not null,
  graph json not null,
  id uuid not null,
  name text not null,
  project_id uuid not null,
  version integer not null,
  workflow_id uuid not null
);
create table workflows (
  archived_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  description text not null default ''::text,
  hidden boolean not null default false,
  id uuid not null,
  latest_version integer not null,
  latest_version_id uuid not null,
  name text not null,
  paused boolean not null default false,
  project_id uuid not null,
  tags text[] not null default '{}'::text[],
  updated_at timestamp(3) with time zone not null
);
alter table bulk_items add FOREIGN KEY (job_id) REFERENCES bulk_jobs(id) ON DELETE CASCADE;
alter table bulk_items add PRIMARY KEY (job_id, run_id);
alter table bulk_jobs add CHECK ((action = ANY (ARRAY['cancel'::text, 'retry'::text, 'delete'::text])));
alter table bulk_jobs add PRIMARY KEY (id);
alter table daily_runs add PRIMARY KEY (project_id, day);
alter table draft_dependencies add FOREIGN KEY (depends_on_task_id) REFERENCES draft_tasks(id);
alter table draft_dependencies add FOREIGN KEY (draft_id) REFERENCES drafts(id);
alter table draft_dependencies add PRIMARY KEY (id);
alter table draft_dependencies add UNIQUE (task_id, depends_on_task_id);
alter table draft_dependencies add FOREIGN KEY (task_id) REFERENCES draft_tasks(id);
alter table draft_tasks add FOREIGN KEY (draft_id) REFERENCES drafts(id);
alter table draft_tasks add UNIQUE (draft_id, key);
alter table draft_tasks add UNIQUE (draft_id, "position");
alter table draft_tasks add PRIMARY KEY (id);
alter table drafts add PRIMARY KEY (id);
alter table drafts add FOREIGN KEY (workflow_id) REFERENCES workflows(id);
alter table hooks add PRIMARY KEY (id);
alter table hooks add UNIQUE (token_hash);
alter table hooks add CHECK (((verify_type IS NULL) = (verify_secret IS NULL)));
alter table hooks add FOREIGN KEY (workflow_id) REFERENCES workflows(id);
alter table idempotency_keys add PRIMARY KEY (project_id, subject, key);
alter table run_requests add PRIMARY KEY (id);
alter table schema_migrations add PRIMARY KEY (version);
alter table workflow_versions add PRIMARY KEY (id);
alter table workflow_versions add FOREIGN KEY (workflow_id) REFERENCES workflows(id);
alter table workflow_versions add UNIQUE (workflow_id, version);
alter table workflows add PRIMARY KEY (id);
CREATE INDEX bulk_jobs_by_project ON bulk_jobs USING btree (project_id);
CREATE INDEX bulk_jobs_finished ON bulk_jobs USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX bulk_jobs_open ON bulk_jobs USING btree (created_at) WHERE (finished_at IS NULL);
CREATE INDEX draft_dependencies_of ON draft_dependencies USING btree (draft_id);
CREATE INDEX drafts_by_project ON drafts USING btree (project_id);
CREATE INDEX drafts_unpublished ON drafts USING btree (project_id) WHERE (workflow_id IS NULL);
CREATE INDEX hooks_by_project ON hooks USING btree (project_id);
CREATE INDEX hooks_of_workflow ON hooks USING btree (workflow_id, created_at DESC, id DESC) WHERE (revoked_at IS NULL);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys USING btree (expires_at);
CREATE INDEX run_requests_by_project ON run_requests USING btree (project_id);
CREATE INDEX run_requests_by_time ON run_requests USING brin (created_at) WITH (autosummarize='on');
CREATE UNIQUE INDEX run_requests_dedupe ON run_requests USING btree (project_id, dedupe_key) WHERE (dedupe_key IS NOT NULL);
CREATE INDEX run_requests_open ON run_requests USING btree (project_id, created_at DESC, id DESC) WHERE (taken_at IS NULL);
CREATE INDEX run_requests_waiting ON run_requests USING btree (workflow_id, created_at, id) WHERE waiting;
CREATE INDEX workflow_versions_by_project ON workflow_versions USING btree (project_id);
CREATE UNIQUE INDEX workflows_name ON workflows USING btree (project_id, name) WHERE (archived_at IS NULL);
CREATE INDEX workflows_newest ON workflows USING btree (project_id, created_at DESC, id DESC) WHERE (archived_at IS NULL);
