-- The keys of the audit chain, each from one place of the chain on, sealed under the master key: so that the master key
-- can be replaced and old entries still be verified.
create table audit_chain_keys (
  from_seq bigint primary key,
  sealed bytea not null
);
