-- A pick sees one part of the queue: it walks over nobody who waits for a limit, however many do.
drop index task_queue_by_kind;
create index task_queue_by_kind on task_queue (project_id, queue, uses, part, priority desc, position);
