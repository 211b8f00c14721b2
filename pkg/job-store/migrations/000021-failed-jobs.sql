-- What people look for is mostly what failed, which is mostly little. A column of its own, for an index that names `status`
-- would take every change of status out of its page: this one changes only when a job fails or is cancelled.
alter table jobs add column failure text generated always as (case when status in ('failed', 'cancelled') then status end) stored;
create index jobs_by_failure on jobs (project_id, created_at desc, id desc) where failure is not null;
