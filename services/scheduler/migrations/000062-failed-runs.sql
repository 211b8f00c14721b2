-- Failed runs, newest first: search by an error's code or text reads these rows and no others. Only the update that fails a
-- run, and the one that opens it again, touch it; both change `runs_ended` as well.
-- No index on the code itself: the error is a worker's `json`, which may hold what an expression cannot take apart (NUL),
-- and the update that fails the run would fail with the index.
create index runs_failed on runs (project_id, created_at desc, id desc) where status = 'failed';
