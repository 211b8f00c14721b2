-- How far running attempts are, as their workers say. Beside `tasks`, so that a report touches no row that the engine
-- locks, and no rev. A row counts only while its lease is the task's; others are swept.
create table task_progress (
  task_id uuid primary key,
  lease_id uuid not null,
  percent double precision,
  message text not null,
  number int not null
) with (fillfactor = 50);
