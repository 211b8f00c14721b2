/** To be copied into the first migration of a service with idempotent routes. */
export const idempotencyMigration = `
create table idempotency_keys (
  project_id uuid not null,
  subject text not null,
  key text not null,
  request_digest text not null,
  attempt uuid not null,
  locked_until timestamptz not null,
  expires_at timestamptz not null,
  status integer,
  headers json,
  body json,
  primary key (project_id, subject, key)
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);
`
