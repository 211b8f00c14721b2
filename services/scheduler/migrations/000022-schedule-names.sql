-- For people: nothing is found by it.
alter table schedules add column name text not null default '';
