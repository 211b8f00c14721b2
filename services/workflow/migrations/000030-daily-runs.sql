-- Runs of a day (UTC) in projects that have a limit on them. `revision` is that of the quotas the row was counted for:
-- while a project has no limit nobody counts, so under a newer revision the day is counted anew from the requests.
create table daily_runs (
  project_id uuid not null,
  day date not null,
  runs bigint not null,
  revision bigint not null,
  primary key (project_id, day)
);
-- Requests are written in the order of their time, so the blocks of one day are few and lie together.
create index run_requests_by_time on run_requests using brin (created_at) with (autosummarize = on);
create index drafts_unpublished on drafts (project_id) where workflow_id is null;
