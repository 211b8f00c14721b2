import type { Tx } from '@millrace/postgres'
import { type Revoked, revokeMadeBy } from '../db/revoke-made-by.js'

/** For the audit log. */
export interface Change {
  action: string
  target: string
  /** Of what belongs to one. */
  projectId?: string
}

export interface WaysBackEnded {
  changes: Change[]
  /** To be forgotten once the transaction is committed. */
  keyIds: string[]
}

/**
 * Whoever used an account before its address was confirmed may have been a stranger who waited for its owner: what they
 * could come back with ends with their password and sessions, which the caller has ended before. Members and hooks stay: they are the project's, and seen in it.
 */
export async function endWaysBack(tx: Tx, userId: string): Promise<WaysBackEnded> {
  const { serviceAccounts, apiKeys, invitations } = await revokeMadeBy(tx, userId)
  const changes = (action: string, kind: string, revoked: Revoked[]): Change[] =>
    revoked.map(({ id, projectId }) => ({ action, target: `${kind}:${id}`, projectId }))
  return {
    changes: [
      ...changes('service_account.deleted', 'service-account', serviceAccounts),
      ...changes('api_key.revoked', 'key', apiKeys),
      ...changes('invitation.revoked', 'invitation', invitations),
    ],
    keyIds: apiKeys.map(({ id }) => id),
  }
}
