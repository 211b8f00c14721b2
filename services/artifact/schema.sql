-- What the migrations make; written by UPDATE_SCHEMAS=1 npx vitest run infra/tooling/dump-schemas.test.ts
create table artifacts (
  completed_at timestamp with time zone,
  content_type text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  created_by text not null,
  declared_sha256 text,
  declared_size bigint,
  id uuid not null,
  name text not null,
  object_key text,
  parts_key text,
  parts_upload_id text,
  project_id uuid not null,
  retain_until timestamp with time zone,
  run_id uuid,
  sha256 text,
  size bigint,
  state text not null default 'pending'::text,
  task text,
  upload_key text not null,
  workflow text
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
create table object_trash (
  delete_after timestamp with time zone not null,
  object_key text not null
);
create table project_retention (
  at timestamp with time zone not null,
  keep_ms bigint,
  project_id uuid not null
);
create table project_storage (
  bytes bigint not null,
  project_id uuid not null,
  reported bigint
);
create table schema_migrations (
  applied_at timestamp with time zone not null default now(),
  checksum text not null,
  name text not null,
  version integer not null
);
alter table artifacts add CHECK (((state = 'pending'::text) OR ((object_key IS NOT NULL) AND (size IS NOT NULL) AND (sha256 IS NOT NULL))));
alter table artifacts add UNIQUE (object_key);
alter table artifacts add PRIMARY KEY (id);
alter table artifacts add CHECK ((state = ANY (ARRAY['pending'::text, 'complete'::text])));
alter table artifacts add UNIQUE (upload_key);
alter table idempotency_keys add PRIMARY KEY (project_id, subject, key);
alter table object_trash add PRIMARY KEY (object_key);
alter table project_retention add PRIMARY KEY (project_id);
alter table project_storage add PRIMARY KEY (project_id);
alter table schema_migrations add PRIMARY KEY (version);
CREATE INDEX artifacts_by_age ON artifacts USING btree (created_at);
CREATE INDEX artifacts_by_project ON artifacts USING btree (project_id, id DESC);
CREATE INDEX artifacts_by_run ON artifacts USING btree (project_id, run_id, id DESC) WHERE (run_id IS NOT NULL);
CREATE INDEX artifacts_by_workflow ON artifacts USING btree (project_id, workflow) WHERE (workflow IS NOT NULL);
CREATE INDEX artifacts_expiring ON artifacts USING btree (retain_until) WHERE (retain_until IS NOT NULL);
CREATE INDEX artifacts_of_run ON artifacts USING btree (run_id) WHERE (run_id IS NOT NULL);
CREATE INDEX artifacts_pending ON artifacts USING btree (created_at) WHERE (state = 'pending'::text);
CREATE INDEX artifacts_without_run ON artifacts USING btree (project_id, created_at) WHERE ((run_id IS NULL) AND (state = 'complete'::text));
CREATE INDEX idempotency_keys_expiry ON idempotency_keys USING btree (expires_at);
CREATE INDEX object_trash_due ON object_trash USING btree (delete_after);
CREATE INDEX project_storage_unreported ON project_storage USING btree (project_id) WHERE (reported IS DISTINCT FROM bytes);
CREATE OR REPLACE FUNCTION count_changed_storage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into project_storage as p (project_id, bytes)
  select n.project_id, sum(coalesce(n.size, n.declared_size, 0) - coalesce(o.size, o.declared_size, 0)) as change
  from new_rows n join old_rows o using (id)
  where coalesce(n.size, n.declared_size, 0) <> coalesce(o.size, o.declared_size, 0)
  group by n.project_id order by n.project_id
  on conflict (project_id) do update set bytes = p.bytes + excluded.bytes;
  return null;
end $function$
;
CREATE OR REPLACE FUNCTION count_deleted_storage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into project_storage as p (project_id, bytes)
  select project_id, -sum(coalesce(size, declared_size, 0)) from old_rows group by project_id order by project_id
  on conflict (project_id) do update set bytes = p.bytes + excluded.bytes;
  return null;
end $function$
;
CREATE OR REPLACE FUNCTION count_inserted_storage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into project_storage as p (project_id, bytes)
  select project_id, sum(coalesce(size, declared_size, 0)) from new_rows group by project_id order by project_id
  on conflict (project_id) do update set bytes = p.bytes + excluded.bytes;
  return null;
end $function$
;
