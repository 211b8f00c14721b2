-- Labels are a run's, and never change. Most runs have none: their jobs are not in the index.
alter table jobs add column labels text[] not null default '{}';
create index jobs_by_label on jobs using gin (labels) where labels <> '{}';
-- Set once, by the failure: an update that leaves it as it is stays in its page.
create index jobs_by_error on jobs (project_id, error_code, created_at desc, id desc) where error_code is not null;

-- Parts of words are found through trigrams where the server lets us have them. Elsewhere the same query reads the
-- project's jobs from the newest on. What is searched changes only when an error appears.
do $$
declare place text;
begin
  begin
    create extension if not exists pg_trgm;
  exception when others then
    raise notice 'no index for search: %', sqlerrm;
  end;
  select n.nspname into place from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm';
  if place is not null then
    execute format('create index jobs_by_text on jobs using gin (search %I.gin_trgm_ops)', place);
  end if;
end $$;
