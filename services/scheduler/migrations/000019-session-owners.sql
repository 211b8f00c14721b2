-- Which credential registered a session: `key:<id>` or `service:<name>`. Only that credential may use it.
alter table sessions add column owner text;

update sessions set owner = 'service:worker' where project_id is null;

-- Whose key registered the others is not known: they end, their tasks go back, and their workers register again.
update sessions set state = 'ended', ended_at = clock_timestamp() where owner is null and state <> 'ended';

create index sessions_by_owner on sessions (owner) where state <> 'ended';
