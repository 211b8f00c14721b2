-- Where a run came from, when not from outside alone: the task it is a child of, the run it repeats. Null for most.
alter table run_requests add column origin json;
