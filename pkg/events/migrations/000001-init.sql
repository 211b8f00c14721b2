-- The log is the outbox: producers insert in the transaction of the state they change.
-- Column order is part of the reader's rule: defaults are evaluated in column order, so a transaction has its xid
-- before it takes an id. Once every transaction older than a gap's discovery has ended, the gap can no longer fill.
-- The identity sequence must keep cache 1 for the same reason.
create table log (
  xid xid8 not null default pg_current_xact_id(),
  id bigint generated always as identity primary key,
  event_id uuid not null default gen_random_uuid(),
  topic text not null,
  key text not null,
  subject text not null default '',
  source text not null,
  time timestamptz not null default clock_timestamp(),
  sequence bigint not null default 0,
  traceparent text,
  -- json, not jsonb: jsonb refuses NUL and lone surrogates, and would fail the producer's whole transaction.
  data json not null
);

-- Insert-only, read once in order of id: a summary of each block range is all that retention needs.
create index log_time on log using brin (time);

create table groups (
  name text primary key,
  -- Everything up to here was handled; what lies above may be delivered again.
  position bigint not null default 0,
  seen_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);

create table dlq (
  id bigint generated always as identity primary key,
  group_name text not null,
  -- <topic>.dlq
  topic text not null,
  log_id bigint not null,
  event_id uuid not null,
  key text not null,
  subject text not null,
  source text not null,
  time timestamptz not null,
  sequence bigint not null,
  traceparent text,
  data json not null,
  reason text not null,
  detail text not null,
  tries int not null,
  created_at timestamptz not null default now(),
  -- A redelivered event is not parked twice.
  unique (group_name, event_id)
);
