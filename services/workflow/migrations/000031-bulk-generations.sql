-- The generation that a run had when its job first came to it, written before it is retried: a slice that is done again
-- after a crash leaves a run of another generation alone.
alter table bulk_items add column generation integer;
