-- A line's place is within its lease: a lost lease uses up no attempt, so several leases may write to one attempt.
-- Lines of workers that name no lease, and those written before, share the nil one.
alter table logs add column lease_id uuid not null default '00000000-0000-0000-0000-000000000000';
alter table logs drop constraint logs_pkey;
alter table logs add primary key (task_id, attempt, lease_id, seq, project_id);
create index logs_by_job on logs (task_id, attempt, at, seq, lease_id);
