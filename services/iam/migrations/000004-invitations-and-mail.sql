alter table users add column email_verified_at timestamptz(3);
-- Administrators were chosen by whoever runs the platform; everybody else shows that the address is theirs.
update users set email_verified_at = created_at where admin;

-- quotas: only what an administrator changed; the rest follows the defaults of the code.
alter table projects
  add column archived_at timestamptz(3),
  add column retention text,
  add column quotas json not null default '{}';

create table invitations (
  id uuid primary key,
  project_id uuid not null references projects (id),
  email text not null,
  role text not null check (role in ('viewer', 'operator', 'editor', 'owner')),
  invited_by text not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  revoked_at timestamptz(3)
);
create unique index invitations_open on invitations (project_id, email) where accepted_at is null and revoked_at is null;

-- The token itself stands only in the mail. Deleted when it is used.
create table one_time_tokens (
  hash bytea primary key,
  purpose text not null check (purpose in ('reset', 'verify', 'invitation')),
  user_id uuid references users (id),
  invitation_id uuid references invitations (id) on delete cascade,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  check ((user_id is null) <> (invitation_id is null))
);
create index one_time_tokens_user on one_time_tokens (user_id, purpose) where user_id is not null;
create index one_time_tokens_invitation on one_time_tokens (invitation_id) where invitation_id is not null;
create index one_time_tokens_expiry on one_time_tokens (expires_at);

-- Mail that is wanted. Whether the address belongs to anybody is looked up when the mail is made, so that asking for one
-- costs the same either way.
create table mail_jobs (
  id uuid primary key,
  kind text not null check (kind in ('reset', 'verify', 'invitation')),
  address text not null,
  invitation_id uuid references invitations (id) on delete cascade,
  created_at timestamptz(3) not null default now(),
  next_at timestamptz not null default now(),
  attempts integer not null default 0
);
create index mail_jobs_due on mail_jobs (next_at);
