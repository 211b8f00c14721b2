-- Fairness between projects: each project's part of the queue in its own order.
create index task_queue_by_project on task_queue (project_id, priority desc, position);
drop index task_queue_order;
