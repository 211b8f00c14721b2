-- What the migrations make; written by UPDATE_SCHEMAS=1 npx vitest run infra/tooling/dump-schemas.test.ts
create table dlq (
  created_at timestamp with time zone not null default now(),
  data json not null,
  detail text not null,
  event_id uuid not null,
  group_name text not null,
  id bigint not null generated always as identity,
  key text not null,
  log_id bigint not null,
  reason text not null,
  sequence bigint not null,
  source text not null,
  subject text not null,
  "time" timestamp with time zone not null,
  topic text not null,
  traceparent text,
  tries integer not null
);
create table groups (
  created_at timestamp with time zone not null default now(),
  name text not null,
  "position" bigint not null default 0,
  seen_at timestamp with time zone not null default now()
);
create table log (
  data json not null,
  event_id uuid not null default gen_random_uuid(),
  id bigint not null generated always as identity,
  key text not null,
  sequence bigint not null default 0,
  source text not null,
  subject text not null default ''::text,
  "time" timestamp with time zone not null default clock_timestamp(),
  topic text not null,
  traceparent text,
  xid xid8 not null default pg_current_xact_id()
);
create table relay_members (
  id uuid not null,
  until timestamp with time zone not null
);
create table relay_parts (
  epoch bigint not null default 0,
  owner uuid,
  part integer not null,
  until timestamp with time zone not null default '-infinity'::timestamp with time zone
);
create table schema_migrations (
  applied_at timestamp with time zone not null default now(),
  checksum text not null,
  name text not null,
  version integer not null
);
alter table dlq add UNIQUE (group_name, event_id);
alter table dlq add PRIMARY KEY (id);
alter table groups add PRIMARY KEY (name);
alter table log add PRIMARY KEY (id);
alter table relay_members add PRIMARY KEY (id);
alter table relay_parts add PRIMARY KEY (part);
alter table schema_migrations add PRIMARY KEY (version);
CREATE INDEX log_time ON log USING brin ("time");
