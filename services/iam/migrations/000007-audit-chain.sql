update audit set outcome = 'failure' where outcome = 'failed';

-- Each entry carries a keyed hash of itself and of the one before; seq is its place. Entries from before have neither.
alter table audit
  add column role text not null default '',
  add column seq bigint unique,
  add column hash bytea;
create index audit_at on audit (at desc, id desc);

-- The end of the chain: without it nobody would notice that the newest entries are gone.
create table audit_head (
  singleton boolean primary key default true check (singleton),
  seq bigint not null,
  hash bytea not null
);
insert into audit_head (seq, hash) values (0, '\x');

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end $$;
create trigger audit_append_only before update or delete or truncate on audit
  for each statement execute function refuse_audit_change();
