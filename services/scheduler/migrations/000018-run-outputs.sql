-- A run's large output is a payload under the run's own id, so that one loop moves all outputs.
drop index runs_unmoved;
alter table runs drop column output_artifact_id, drop column output_artifact_size;
