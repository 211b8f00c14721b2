-- network: the /24 or /64 of the address. device: the id in a valid device cookie, which has a counter of its own.
alter table login_failures
  add column network text not null default '',
  add column device bytea;
alter table login_failures alter column network drop default;
