-- Signals that came before a task asked for them.
create table run_signals (
  id text primary key,
  run_id uuid not null,
  name text not null,
  payload json not null,
  position bigint generated always as identity
);

create index run_signals_by_run on run_signals (run_id, position);
