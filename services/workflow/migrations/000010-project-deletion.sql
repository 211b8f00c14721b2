-- Deleting a project looks for what it has; most projects have little, and none of these is large or written often.
create index workflow_versions_by_project on workflow_versions (project_id);
create index hooks_by_project on hooks (project_id);
create index drafts_by_project on drafts (project_id);
-- Requests that have been taken are found by their run alone, except when their project goes.
create index run_requests_by_project on run_requests (project_id);
