-- Envelope encryption: `sealed` is the value under a data key of its own, `wrapped_key` is that data key under a key
-- derived from the master key. Both are AES-256-GCM (nonce, tag, ciphertext), bound to project and name, so that neither
-- opens in another row.
create table secrets (
  project_id uuid not null references projects (id),
  name text not null,
  wrapped_key bytea not null,
  sealed bytea not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  updated_by text not null,
  primary key (project_id, name)
);
