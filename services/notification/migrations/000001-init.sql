create table subscriptions (
  id uuid primary key,
  project_id uuid not null,
  events text[] not null,
  filter json not null,
  channel_type text not null check (channel_type in ('webhook', 'email', 'slack')),
  url text,
  recipients text[],
  -- Encrypted: header values are often credentials.
  headers bytea,
  secret bytea,
  -- Signs beside the new one until then, so that a receiver can change over without losing a delivery.
  previous_secret bytea,
  previous_secret_until timestamptz,
  enabled boolean not null default true,
  disabled_reason text,
  failed_in_a_row int not null default 0,
  failing_since timestamptz,
  created_by text not null,
  owner_email text,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  -- Kept after deletion: deliveries name their subscription for as long as they are kept themselves.
  deleted_at timestamptz
);
create index subscriptions_by_project on subscriptions (project_id, id desc) where deleted_at is null;

create table deliveries (
  id uuid primary key,
  project_id uuid not null,
  subscription_id uuid not null references subscriptions,
  -- A redelivered event finds its row already there.
  event_id text not null,
  -- test: sent once, on demand. notice: mail to the owner, sent even though the subscription is disabled.
  kind text not null check (kind in ('event', 'test', 'notice')),
  type text not null,
  run_id uuid,
  -- The exact bytes that are signed and sent, the same for every try.
  body text not null,
  -- Only a notice has its own; everything else goes where the subscription points now.
  recipients text[],
  -- Where it goes, as far as limits are concerned: scheme, host and port, or `mail`.
  endpoint text not null,
  traceparent text,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  reason text,
  -- Tries of this round; a redelivery starts a new one.
  tries int not null default 0,
  attempt_count int not null default 0,
  -- A claim moves it past the claim's end, so a row whose sender died becomes due again by itself.
  next_attempt_at timestamptz not null default clock_timestamp(),
  claim_token uuid,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  constraint deliveries_once unique (subscription_id, event_id)
);
create index deliveries_due on deliveries (next_attempt_at) where status = 'pending';
create index deliveries_by_endpoint on deliveries (endpoint, next_attempt_at) where status = 'pending';
create index deliveries_by_project on deliveries (project_id, id desc);
create index deliveries_by_subscription on deliveries (subscription_id, id desc);
create index deliveries_finished on deliveries (finished_at) where status <> 'pending';

create table delivery_attempts (
  delivery_id uuid not null references deliveries on delete cascade,
  number int not null,
  at timestamptz not null,
  status_code int,
  latency_ms int not null,
  error text,
  response_snippet text,
  primary key (delivery_id, number)
);

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
