create table users (
  id uuid primary key,
  email text not null,
  name text,
  password_hash text not null,
  admin boolean not null default false,
  disabled boolean not null default false,
  default_project_id uuid,
  created_at timestamptz(3) not null default now(),
  constraint users_email unique (email)
);

create table projects (
  id uuid primary key,
  slug text not null,
  name text not null,
  created_by uuid not null references users (id),
  created_at timestamptz(3) not null default now(),
  constraint projects_slug unique (slug)
);

create table members (
  project_id uuid not null references projects (id),
  user_id uuid not null references users (id),
  role text not null check (role in ('viewer', 'operator', 'editor', 'owner')),
  created_at timestamptz(3) not null default now(),
  primary key (project_id, user_id)
);
create index members_user on members (user_id);

-- One row for each login. Access tokens name their family, so revoking it ends them too.
create table refresh_families (
  id uuid primary key,
  user_id uuid not null references users (id),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  revoked_because text
);
create index refresh_families_user on refresh_families (user_id);
create index refresh_families_expiry on refresh_families (expires_at);

-- A used token stays until its family goes: showing it again is how a theft is noticed.
create table refresh_tokens (
  hash bytea primary key,
  family_id uuid not null references refresh_families (id) on delete cascade,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index refresh_tokens_family on refresh_tokens (family_id);

create table api_keys (
  id uuid primary key,
  project_id uuid not null references projects (id),
  name text not null,
  role text not null check (role in ('viewer', 'operator', 'editor', 'owner', 'worker')),
  prefix text not null,
  hash bytea not null unique,
  created_by uuid not null references users (id),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index api_keys_project on api_keys (project_id, id);

-- private_sealed: nonce, tag and PKCS#8 PEM under AES-256-GCM with the master key, bound to the kid.
create table signing_keys (
  kid text primary key,
  public_pem text not null,
  private_sealed bytea not null,
  created_at timestamptz(3) not null default now(),
  -- Published from the beginning, used from here on: by then every verifier can have seen it.
  active_from timestamptz(3) not null
);

create table login_failures (
  id bigint generated always as identity primary key,
  account bytea not null,
  address text not null,
  at timestamptz not null default clock_timestamp()
);
create index login_failures_account on login_failures (account, at);
create index login_failures_address on login_failures (address, at);

-- The id is the event's, which makes its second arrival a no-op.
create table audit (
  id uuid primary key,
  at timestamptz(3) not null,
  project_id text not null,
  actor text not null,
  action text not null,
  target text not null,
  ip text not null,
  request_id text not null,
  outcome text not null,
  source text not null
);
create index audit_project on audit (project_id, at desc, id desc);

-- The one row says that the first administrator was made; a restart then makes no other.
create table bootstrap (
  singleton boolean primary key default true check (singleton),
  admin_user_id uuid not null references users (id),
  at timestamptz(3) not null default now()
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
