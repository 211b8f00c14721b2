-- Which runs came from a run. Few runs have an origin.
create index runs_by_parent on runs ((origin #>> '{parent,runId}')) where origin is not null;
create index runs_by_rerun on runs ((origin #>> '{rerun,runId}')) where origin is not null;
