-- What the migrations make; written by UPDATE_SCHEMAS=1 npx vitest run infra/tooling/dump-schemas.test.ts
create table audit (
  action text not null,
  actor text not null,
  at timestamp(3) with time zone not null,
  hash bytea,
  id uuid not null,
  ip text not null,
  outcome text not null,
  project_id text not null,
  request_id text not null,
  role text not null default ''::text,
  seq bigint,
  source text not null,
  target text not null
);
create table schema_migrations (
  applied_at timestamp with time zone not null default now(),
  checksum text not null,
  name text not null,
  version integer not null
);
alter table audit add PRIMARY KEY (id);
alter table audit add UNIQUE (seq);
alter table schema_migrations add PRIMARY KEY (version);
CREATE INDEX audit_at ON audit USING btree (at DESC, id DESC);
CREATE INDEX audit_project ON audit USING btree (project_id, at DESC, id DESC);
CREATE OR REPLACE FUNCTION refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the audit log is append-only';
end $function$
;
