-- Files go with their runs, whatever their project.
create index artifacts_of_run on artifacts (run_id) where run_id is not null;
