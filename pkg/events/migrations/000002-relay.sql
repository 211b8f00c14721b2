-- Where a broker carries the events, the log is only the outbox: relays send its rows and remove them.
-- The outbox is split by hash of key into parts, and each part belongs to one relay at a time. The epoch rises with each
-- change of hands, so that a relay that lost a part without knowing reads nothing of it any more.
create table relay_parts (
  part int primary key,
  owner uuid,
  epoch bigint not null default 0,
  until timestamptz not null default '-infinity'
);

insert into relay_parts (part) select generate_series(0, 15);

-- Relays that live: the parts are shared among them.
create table relay_members (
  id uuid primary key,
  until timestamptz not null
);
