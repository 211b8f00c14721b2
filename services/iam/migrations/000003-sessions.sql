-- A family is a session as its user sees it: where it began, when it was last used, and when it ends for good.
alter table refresh_families
  add column ends_at timestamptz(3),
  add column last_used_at timestamptz(3) not null default now(),
  add column kind text not null default 'token' check (kind in ('token', 'cookie')),
  add column ip text not null default '',
  add column user_agent text not null default '';
-- Sessions that exist already end like those that begin now would.
update refresh_families set ends_at = created_at + interval '90 days', last_used_at = created_at;
alter table refresh_families alter column ends_at set not null;
