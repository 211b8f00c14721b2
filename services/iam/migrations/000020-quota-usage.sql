-- Raised by every change of quotas: whoever counts against a quota knows by it that the counting begins anew.
alter table projects add column quotas_revision bigint not null default 0;

-- What is counted by the day (UTC): mails.
create table daily_usage (
  project_id uuid not null,
  quota text not null,
  day date not null,
  used bigint not null,
  primary key (project_id, quota, day)
);

-- Live streams of all services. Whoever holds one open renews its row; a row past `until` counts no more.
create table open_streams (
  id uuid primary key,
  project_id uuid not null,
  until timestamptz not null
);
create index open_streams_project on open_streams (project_id, until);

-- What the artifact service last said.
create table reported_storage (
  project_id uuid primary key,
  bytes bigint not null
);
