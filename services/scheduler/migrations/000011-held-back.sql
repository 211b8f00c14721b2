-- Tasks that a worker handed back and asked to be left alone for a while: their peer does not answer. They are queued, and
-- stand in no queue until then.
create table held_back (
  task_id uuid primary key,
  run_id uuid not null,
  until timestamptz not null,
  detail text not null
);

create index held_back_due on held_back (until);
create index held_back_by_run on held_back (run_id);
