-- Deliveries go with their runs.
create index deliveries_by_run on deliveries (run_id) where run_id is not null;
