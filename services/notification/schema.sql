-- What the migrations make; written by UPDATE_SCHEMAS=1 npx vitest run infra/tooling/dump-schemas.test.ts
create table deliveries (
  attempt_count integer not null default 0,
  body text not null,
  claim_token uuid,
  created_at timestamp with time zone not null default clock_timestamp(),
  endpoint text not null,
  event_id text not null,
  finished_at timestamp with time zone,
  id uuid not null,
  kind text not null,
  next_attempt_at timestamp with time zone not null default clock_timestamp(),
  project_id uuid not null,
  reason text,
  recipients text[],
  run_id uuid,
  status text not null default 'pending'::text,
  subscription_id uuid not null,
  traceparent text,
  tries integer not null default 0,
  type text not null
);
create table delivery_attempts (
  at timestamp with time zone not null,
  delivery_id uuid not null,
  error text,
  latency_ms integer not null,
  number integer not null,
  response_snippet text,
  status_code integer
);
create table digest_items (
  body text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  delivery_id uuid,
  event_id text not null,
  subscription_id uuid not null
);
create table idempotency_keys (
  attempt uuid not null,
  body json,
  expires_at timestamp with time zone not null,
  headers json,
  key text not null,
  locked_until timestamp with time zone not null,
  project_id uuid not null,
  request_digest text not null,
  status integer,
  subject text not null
);
create table recipient_mails (
  hour timestamp with time zone not null,
  mails integer not null,
  project_id uuid not null,
  recipient text not null
);
create table schema_migrations (
  applied_at timestamp with time zone not null default now(),
  checksum text not null,
  name text not null,
  version integer not null
);
create table subscriptions (
  channel_type text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  created_by text not null,
  deleted_at timestamp with time zone,
  digest_every text,
  disabled_reason text,
  enabled boolean not null default true,
  events text[] not null,
  failed_in_a_row integer not null default 0,
  failing_since timestamp with time zone,
  filter json not null,
  headers bytea,
  id uuid not null,
  owner_email text,
  previous_secret bytea,
  previous_secret_until timestamp with time zone,
  project_id uuid not null,
  recipients text[],
  secret bytea,
  updated_at timestamp with time zone not null default clock_timestamp(),
  url text
);
alter table deliveries add CHECK ((kind = ANY (ARRAY['event'::text, 'test'::text, 'notice'::text, 'digest'::text])));
alter table deliveries add UNIQUE (subscription_id, event_id);
alter table deliveries add PRIMARY KEY (id);
alter table deliveries add CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])));
alter table deliveries add FOREIGN KEY (subscription_id) REFERENCES subscriptions(id);
alter table delivery_attempts add FOREIGN KEY (delivery_id) REFERENCES deliveries(id) ON DELETE CASCADE;
alter table delivery_attempts add PRIMARY KEY (delivery_id, number);
alter table digest_items add FOREIGN KEY (delivery_id) REFERENCES deliveries(id) ON DELETE CASCADE;
alter table digest_items add PRIMARY KEY (subscription_id, event_id);
alter table digest_items add FOREIGN KEY (subscription_id) REFERENCES subscriptions(id);
alter table idempotency_keys add PRIMARY KEY (project_id, subject, key);
alter table recipient_mails add PRIMARY KEY (project_id, recipient, hour);
alter table schema_migrations add PRIMARY KEY (version);
alter table subscriptions add CHECK ((channel_type = ANY (ARRAY['webhook'::text, 'email'::text, 'slack'::text])));
alter table subscriptions add PRIMARY KEY (id);
CREATE INDEX deliveries_by_endpoint ON deliveries USING btree (endpoint, next_attempt_at) WHERE (status = 'pending'::text);
CREATE INDEX deliveries_by_project ON deliveries USING btree (project_id, id DESC);
CREATE INDEX deliveries_by_run ON deliveries USING btree (run_id) WHERE (run_id IS NOT NULL);
CREATE INDEX deliveries_by_subscription ON deliveries USING btree (subscription_id, id DESC);
CREATE INDEX deliveries_due ON deliveries USING btree (next_attempt_at) WHERE (status = 'pending'::text);
CREATE INDEX deliveries_finished ON deliveries USING btree (finished_at) WHERE (status <> 'pending'::text);
CREATE INDEX digest_items_by_age ON digest_items USING btree (created_at);
CREATE INDEX digest_items_by_delivery ON digest_items USING btree (delivery_id);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys USING btree (expires_at);
CREATE INDEX recipient_mails_by_hour ON recipient_mails USING btree (hour);
CREATE INDEX subscriptions_by_project ON subscriptions USING btree (project_id, id DESC) WHERE (deleted_at IS NULL);
