-- A machine's own identity in one project. Its keys fall with it, and not with the person who made them.
create table service_accounts (
  id uuid primary key,
  project_id uuid not null references projects (id),
  name text not null,
  role text not null check (role in ('viewer', 'operator', 'editor', 'owner', 'worker')),
  created_by text not null,
  created_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3)
);
create unique index service_accounts_name on service_accounts (project_id, name) where deleted_at is null;

alter table api_keys
  add column service_account_id uuid references service_accounts (id),
  add column last_used_at timestamptz(3);
create index api_keys_service_account on api_keys (service_account_id) where service_account_id is not null;
