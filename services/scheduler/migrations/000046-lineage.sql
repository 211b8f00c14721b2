-- Counts of all runs read the two ends of a run's life from indexes: those under way, which are few, and `runs_ended`.
create index runs_open on runs (project_id, workflow, status) where finished_at is null;

-- Which runs came from a run. Few runs have an origin.
create index runs_by_parent on runs ((origin #>> '{parent,runId}')) where origin is not null;
create index runs_by_rerun on runs ((origin #>> '{rerun,runId}')) where origin is not null;
