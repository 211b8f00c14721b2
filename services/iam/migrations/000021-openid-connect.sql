-- Who a person is at a provider. The subject is the provider's own name for them and never changes; addresses may.
create table oidc_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references users (id),
  created_at timestamptz(3) not null default now(),
  last_login_at timestamptz(3) not null default now(),
  primary key (issuer, subject)
);
create index oidc_identities_user on oidc_identities (user_id);

-- A membership that follows the groups of this provider; null for those that people made.
alter table members add column oidc_provider text;
