-- For statistics by task and for finding jobs by what went wrong. Not indexed: they change over a job's life.
alter table jobs add column retries int not null default 0, add column error_code text;
