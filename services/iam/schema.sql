-- What the migrations make; written by UPDATE_SCHEMAS=1 npx vitest run infra/tooling/dump-schemas.test.ts
create table api_keys (
  created_at timestamp(3) with time zone not null default now(),
  created_by uuid not null,
  expires_at timestamp(3) with time zone,
  hash bytea not null,
  id uuid not null,
  last_used_at timestamp(3) with time zone,
  name text not null,
  prefix text not null,
  project_id uuid not null,
  revoked_at timestamp(3) with time zone,
  role text not null,
  service_account_id uuid
);
create table audit (
  action text not null,
  actor text not null,
  at timestamp(3) with time zone not null,
  hash bytea,
  id uuid not null,
  ip text not null,
  outcome text not null,
  project_id text not null,
  request_id text not null,
  role text not null default ''::text,
  seq bigint,
  source text not null,
  target text not null
);
create table audit_chain_keys (
  from_seq bigint not null,
  sealed bytea not null
);
create table audit_head (
  hash bytea not null,
  seq bigint not null,
  singleton boolean not null default true
);
create table bootstrap (
  admin_user_id uuid not null,
  at timestamp(3) with time zone not null default now(),
  singleton boolean not null default true
);
create table daily_usage (
  day date not null,
  project_id uuid not null,
  quota text not null,
  used bigint not null
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
create table invitations (
  accepted_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  email text not null,
  expires_at timestamp(3) with time zone not null,
  id uuid not null,
  invited_by text not null,
  project_id uuid not null,
  revoked_at timestamp(3) with time zone,
  role text not null
);
create table login_failures (
  account bytea not null,
  address text not null,
  at timestamp with time zone not null default clock_timestamp(),
  device bytea,
  id bigint not null generated always as identity,
  network text not null
);
create table mail_jobs (
  address text not null,
  attempts integer not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  id uuid not null,
  invitation_id uuid,
  kind text not null,
  next_at timestamp with time zone not null default now()
);
create table members (
  created_at timestamp(3) with time zone not null default now(),
  oidc_provider text,
  project_id uuid not null,
  role text not null,
  user_id uuid not null
);
create table oidc_identities (
  created_at timestamp(3) with time zone not null default now(),
  issuer text not null,
  last_login_at timestamp(3) with time zone not null default now(),
  subject text not null,
  user_id uuid not null
);
create table one_time_tokens (
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  hash bytea not null,
  invitation_id uuid,
  purpose text not null,
  user_id uuid
);
create table open_streams (
  id uuid not null,
  project_id uuid not null,
  until timestamp with time zone not null
);
create table project_removals (
  due_at timestamp with time zone not null,
  project_id uuid not null,
  slug text not null
);
create table projects (
  archived_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  created_by uuid not null,
  id uuid not null,
  name text not null,
  quotas json not null default '{}'::json,
  quotas_revision bigint not null default 0,
  retention json,
  slug text not null
);
create table refresh_families (
  created_at timestamp(3) with time zone not null default now(),
  ends_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  id uuid not null,
  ip text not null default ''::text,
  kind text not null default 'token'::text,
  last_used_at timestamp(3) with time zone not null default now(),
  revoked_at timestamp(3) with time zone,
  revoked_because text,
  user_agent text not null default ''::text,
  user_id uuid not null
);
create table refresh_tokens (
  expires_at timestamp(3) with time zone not null,
  family_id uuid not null,
  hash bytea not null,
  used_at timestamp(3) with time zone
);
create table reported_storage (
  bytes bigint not null,
  project_id uuid not null
);
create table schema_migrations (
  applied_at timestamp with time zone not null default now(),
  checksum text not null,
  name text not null,
  version integer not null
);
create table secrets (
  created_at timestamp(3) with time zone not null default now(),
  name text not null,
  project_id uuid not null,
  sealed bytea not null,
  updated_at timestamp(3) with time zone not null default now(),
  updated_by text not null,
  wrapped_key bytea not null
);
create table service_accounts (
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null,
  deleted_at timestamp(3) with time zone,
  id uuid not null,
  name text not null,
  project_id uuid not null,
  role text not null
);
create table signing_keys (
  active_from timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null default now(),
  kid text not null,
  private_sealed bytea not null,
  public_pem text not null
);
create table users (
  admin boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  default_project_id uuid,
  disabled boolean not null default false,
  email text not null,
  email_verified_at timestamp(3) with time zone,
  id uuid not null,
  name text,
  password_hash text not null
);
alter table api_keys add FOREIGN KEY (created_by) REFERENCES users(id);
alter table api_keys add UNIQUE (hash);
alter table api_keys add PRIMARY KEY (id);
alter table api_keys add FOREIGN KEY (project_id) REFERENCES projects(id);
alter table api_keys add CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'editor'::text, 'owner'::text, 'worker'::text])));
alter table api_keys add FOREIGN KEY (service_account_id) REFERENCES service_accounts(id);
alter table audit add PRIMARY KEY (id);
alter table audit add UNIQUE (seq);
alter table audit_chain_keys add PRIMARY KEY (from_seq);
alter table audit_head add PRIMARY KEY (singleton);
alter table audit_head add CHECK (singleton);
alter table bootstrap add FOREIGN KEY (admin_user_id) REFERENCES users(id);
alter table bootstrap add PRIMARY KEY (singleton);
alter table bootstrap add CHECK (singleton);
alter table daily_usage add PRIMARY KEY (project_id, quota, day);
alter table idempotency_keys add PRIMARY KEY (project_id, subject, key);
alter table invitations add PRIMARY KEY (id);
alter table invitations add FOREIGN KEY (project_id) REFERENCES projects(id);
alter table invitations add CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'editor'::text, 'owner'::text])));
alter table login_failures add PRIMARY KEY (id);
alter table mail_jobs add FOREIGN KEY (invitation_id) REFERENCES invitations(id) ON DELETE CASCADE;
alter table mail_jobs add CHECK ((kind = ANY (ARRAY['reset'::text, 'verify'::text, 'invitation'::text])));
alter table mail_jobs add PRIMARY KEY (id);
alter table members add PRIMARY KEY (project_id, user_id);
alter table members add FOREIGN KEY (project_id) REFERENCES projects(id);
alter table members add CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'editor'::text, 'owner'::text])));
alter table members add FOREIGN KEY (user_id) REFERENCES users(id);
alter table oidc_identities add PRIMARY KEY (issuer, subject);
alter table oidc_identities add FOREIGN KEY (user_id) REFERENCES users(id);
alter table one_time_tokens add CHECK (((user_id IS NULL) <> (invitation_id IS NULL)));
alter table one_time_tokens add FOREIGN KEY (invitation_id) REFERENCES invitations(id) ON DELETE CASCADE;
alter table one_time_tokens add PRIMARY KEY (hash);
alter table one_time_tokens add CHECK ((purpose = ANY (ARRAY['reset'::text, 'verify'::text, 'invitation'::text])));
alter table one_time_tokens add FOREIGN KEY (user_id) REFERENCES users(id);
alter table open_streams add PRIMARY KEY (id);
alter table project_removals add PRIMARY KEY (project_id);
alter table projects add FOREIGN KEY (created_by) REFERENCES users(id);
alter table projects add PRIMARY KEY (id);
alter table projects add UNIQUE (slug);
alter table refresh_families add CHECK ((kind = ANY (ARRAY['token'::text, 'cookie'::text])));
alter table refresh_families add PRIMARY KEY (id);
alter table refresh_families add FOREIGN KEY (user_id) REFERENCES users(id);
alter table refresh_tokens add FOREIGN KEY (family_id) REFERENCES refresh_families(id) ON DELETE CASCADE;
alter table refresh_tokens add PRIMARY KEY (hash);
alter table reported_storage add PRIMARY KEY (project_id);
alter table schema_migrations add PRIMARY KEY (version);
alter table secrets add PRIMARY KEY (project_id, name);
alter table secrets add FOREIGN KEY (project_id) REFERENCES projects(id);
alter table service_accounts add PRIMARY KEY (id);
alter table service_accounts add FOREIGN KEY (project_id) REFERENCES projects(id);
alter table service_accounts add CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'editor'::text, 'owner'::text, 'worker'::text])));
alter table signing_keys add PRIMARY KEY (kid);
alter table users add UNIQUE (email);
alter table users add PRIMARY KEY (id);
CREATE INDEX api_keys_project ON api_keys USING btree (project_id, id);
CREATE INDEX api_keys_service_account ON api_keys USING btree (service_account_id) WHERE (service_account_id IS NOT NULL);
CREATE INDEX audit_at ON audit USING btree (at DESC, id DESC);
CREATE INDEX audit_project ON audit USING btree (project_id, at DESC, id DESC);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys USING btree (expires_at);
CREATE UNIQUE INDEX invitations_open ON invitations USING btree (project_id, email) WHERE ((accepted_at IS NULL) AND (revoked_at IS NULL));
CREATE INDEX login_failures_account ON login_failures USING btree (account, at);
CREATE INDEX login_failures_address ON login_failures USING btree (address, at);
CREATE INDEX mail_jobs_due ON mail_jobs USING btree (next_at);
CREATE INDEX members_user ON members USING btree (user_id);
CREATE INDEX oidc_identities_user ON oidc_identities USING btree (user_id);
CREATE INDEX one_time_tokens_expiry ON one_time_tokens USING btree (expires_at);
CREATE INDEX one_time_tokens_invitation ON one_time_tokens USING btree (invitation_id) WHERE (invitation_id IS NOT NULL);
CREATE INDEX one_time_tokens_user ON one_time_tokens USING btree (user_id, purpose) WHERE (user_id IS NOT NULL);
CREATE INDEX open_streams_project ON open_streams USING btree (project_id, until);
CREATE INDEX refresh_families_expiry ON refresh_families USING btree (expires_at);
CREATE INDEX refresh_families_user ON refresh_families USING btree (user_id);
CREATE INDEX refresh_tokens_family ON refresh_tokens USING btree (family_id);
CREATE UNIQUE INDEX service_accounts_name ON service_accounts USING btree (project_id, name) WHERE (deleted_at IS NULL);
CREATE OR REPLACE FUNCTION refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the audit log is append-only';
end $function$
;
