import type { Tx } from '@millrace/postgres'

export interface Revoked {
  id: string
  projectId: string
}

export interface RevokedOfUser {
  serviceAccounts: Revoked[]
  /** Also those that others made for these accounts. */
  apiKeys: Revoked[]
  invitations: Revoked[]
}

/** What a user made, and what was made with their keys, whose maker they are too. */
const subjects = `(select 'user:' || $1 union all select 'key:' || id from api_keys where created_by = $1::uuid)`
const shown = 'returning id, project_id as "projectId"'

/**
 * No index leads here: it is done once in the life of an account, and only where its address was not confirmed before.
 * Again while keys are found: one of them may have made another until it was revoked.
 */
export async function revokeMadeBy(tx: Tx, userId: string): Promise<RevokedOfUser> {
  const all: RevokedOfUser = { serviceAccounts: [], apiKeys: [], invitations: [] }
  for (;;) {
    const found = await revokeOnce(tx, userId)
    all.serviceAccounts.push(...found.serviceAccounts)
    all.apiKeys.push(...found.apiKeys)
    all.invitations.push(...found.invitations)
    if (found.apiKeys.length === 0) return all
  }
}

async function revokeOnce(tx: Tx, userId: string): Promise<RevokedOfUser> {
  const accounts = await tx.query<Revoked>(
    `update service_accounts set deleted_at = now() where deleted_at is null and created_by in ${subjects} ${shown}`,
    [userId],
  )
  const keys = await tx.query<Revoked>(
    `update api_keys set revoked_at = now()
     where revoked_at is null and (created_by = $1 or service_account_id = any($2::uuid[])) ${shown}`,
    [userId, accounts.rows.map(({ id }) => id)],
  )
  const invitations = await tx.query<Revoked>(
    `update invitations set revoked_at = now()
     where accepted_at is null and revoked_at is null and invited_by in ${subjects} ${shown}`,
    [userId],
  )
  return { serviceAccounts: accounts.rows, apiKeys: keys.rows, invitations: invitations.rows }
}
