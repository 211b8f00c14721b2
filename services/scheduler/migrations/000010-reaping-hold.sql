-- After a gap in which no scheduler lived, results may lie in the broker that nobody has read. Until then no replica takes
-- back a lease or ends a session for its silence, whoever noticed the gap.
alter table engine_pulse add column hold_until timestamptz not null default '-infinity';
