-- The audit log where services have database roles of their own: it belongs to the administrator, and iam may read and
-- append. Without such roles the table of iam's own schema is used.
create table audit (
  id uuid primary key,
  at timestamptz(3) not null,
  project_id text not null,
  actor text not null,
  action text not null,
  target text not null,
  ip text not null,
  request_id text not null,
  outcome text not null,
  source text not null,
  role text not null default '',
  seq bigint unique,
  hash bytea
);
create index audit_project on audit (project_id, at desc, id desc);
create index audit_at on audit (at desc, id desc);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end $$;
create trigger audit_append_only before update or delete or truncate on audit
  for each statement execute function refuse_audit_change();
