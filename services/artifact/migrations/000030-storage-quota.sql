-- What each project stores: the size of a file once it is known, before that the size that was announced. Kept by
-- triggers, so that whatever inserts, links or deletes rows keeps it right. `reported` is what iam was told last.
create table project_storage (
  project_id uuid primary key,
  bytes bigint not null,
  reported bigint
);
create index project_storage_unreported on project_storage (project_id) where reported is distinct from bytes;

insert into project_storage (project_id, bytes)
select project_id, sum(coalesce(size, declared_size, 0)) from artifacts group by project_id;

-- By statement and in the order of projects: two sweeps that delete files of several projects cannot deadlock.
create function count_inserted_storage() returns trigger language plpgsql as $$
begin
  insert into project_storage as p (project_id, bytes)
  select project_id, sum(coalesce(size, declared_size, 0)) from new_rows group by project_id order by project_id
  on conflict (project_id) do update set bytes = p.bytes + excluded.bytes;
  return null;
end $$;

create function count_deleted_storage() returns trigger language plpgsql as $$
begin
  insert into project_storage as p (project_id, bytes)
  select project_id, -sum(coalesce(size, declared_size, 0)) from old_rows group by project_id order by project_id
  on conflict (project_id) do update set bytes = p.bytes + excluded.bytes;
  return null;
end $$;

create function count_changed_storage() returns trigger language plpgsql as $$
begin
  insert into project_storage as p (project_id, bytes)
  select n.project_id, sum(coalesce(n.size, n.declared_size, 0) - coalesce(o.size, o.declared_size, 0)) as change
  from new_rows n join old_rows o using (id)
  where coalesce(n.size, n.declared_size, 0) <> coalesce(o.size, o.declared_size, 0)
  group by n.project_id order by n.project_id
  on conflict (project_id) do update set bytes = p.bytes + excluded.bytes;
  return null;
end $$;

create trigger artifacts_count_inserted after insert on artifacts
  referencing new table as new_rows for each statement execute function count_inserted_storage();
create trigger artifacts_count_deleted after delete on artifacts
  referencing old table as old_rows for each statement execute function count_deleted_storage();
create trigger artifacts_count_changed after update on artifacts
  referencing old table as old_rows new table as new_rows for each statement execute function count_changed_storage();
