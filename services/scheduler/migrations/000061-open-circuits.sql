-- Peers that a worker does not call just now, as its heartbeat last said. Null: none was ever said.
alter table sessions add column circuits json;
