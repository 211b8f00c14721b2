-- Names never change once they are known, so an update of a job stays in its page. A workflow or a task that has not run for
-- long, or never, is otherwise looked for in the whole history: measured with 1,000,000 jobs, 90,000 blocks; now 4.
-- The task stands behind the place in the order: a search for both then reads entries of the index alone.
create index jobs_by_workflow on jobs (project_id, workflow, created_at desc, id desc, task);
create index jobs_by_task on jobs (project_id, task, created_at desc, id desc);

-- Likewise for what failed: of 20,000 failed jobs none is read that was not of the workflow, the task or the status.
drop index jobs_by_failure;
create index jobs_by_failure on jobs (project_id, created_at desc, id desc, failure, workflow, task) where failure is not null;

-- A service that has a role of its own may not create extensions, so 000020 found none there: since then whoever makes the
-- roles makes the extension too. Where the server has none, text is still looked for in the whole history.
do $$
declare place text;
begin
  select n.nspname into place from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm';
  if place is null or not has_schema_privilege(place, 'usage') then
    raise notice 'no index for search: pg_trgm is not there';
  else
    execute format('create index if not exists jobs_by_text on jobs using gin (search %I.gin_trgm_ops)', place);
  end if;
end $$;
