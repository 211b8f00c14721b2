-- Defaults of the run's queues as they were at its birth, by queue; null = none had any. A run keeps them, as it keeps its
-- version.
alter table runs add column queue_defaults json;
