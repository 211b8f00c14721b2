-- A map's children are rows of `tasks` (the map's ordinal, idx from 0) that no cached run knows of. What the run has to
-- know of them stands here: one row a map, changed in the statement that changes its children.
create table map_groups (
  run_id uuid not null,
  -- The map's place in the plan, as in its own row and its children's.
  ordinal integer not null,
  task_id uuid not null,
  project_id uuid not null,
  items json not null,
  total integer not null,
  max_parallel integer not null,
  -- The run's rev when the map was (re)opened: a cached run older than that does not know what the children may see.
  run_rev bigint not null,
  -- The map's attempt. An end of an earlier one is void.
  round integer not null,
  -- Indices below this have been taken up in this round, in order.
  made integer not null default 0,
  -- Children that have not ended.
  open integer not null default 0,
  output_bytes bigint not null default 0,
  paused boolean not null default false,
  -- Why no further child begins: stop (what runs finishes), cancel, timeout, total-timeout (what runs is asked to stop).
  ending text,
  ending_at timestamptz,
  -- The group's end has been written to the run's inbox.
  closed_at timestamptz,
  primary key (run_id, ordinal)
) with (fillfactor = 50);

-- Small: what has ended leaves it. Serves the loop that makes and ends children.
create index map_groups_live on map_groups (run_id, ordinal) where closed_at is null;

-- Tells a map's children from the tasks that the run itself decides on.
alter table task_queue add column child boolean not null default false;
