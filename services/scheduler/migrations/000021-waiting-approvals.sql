-- What waits for people: few rows, whatever the history's size.
create index tasks_waiting_approvals on tasks (project_id) where uses = 'approval' and status = 'waiting';
