import { notFound, permissionDenied, unauthenticated, unprocessable } from '@millrace/errors'
import { type Identity, type Role, roleAllows } from '@millrace/identity'
import type { Tx } from '@millrace/postgres'
import { validate as isUuid } from 'uuid'
import { lockLiveKey, lockLiveSession } from '../db/lock-credential.js'

/** For what only a person can do: an API key acts in its project and nowhere else. */
export function userIdOf(identity: Identity): string {
  if (identity.userId === undefined) {
    throw permissionDenied('user_required', 'Only a user can do this, not an API key.')
  }
  return identity.userId
}

export const keyIdOf = (identity: Identity): string | undefined =>
  identity.subject.startsWith('key:') ? identity.subject.slice('key:'.length) : undefined

/**
 * For what gives others a way in: a request is let in before its body has come, and its credential may have been revoked by
 * then. What was made with it before is found by whoever revokes it, nothing is made after.
 */
export async function assertStillValid(tx: Tx, identity: Identity): Promise<void> {
  const keyId = keyIdOf(identity)
  if (keyId !== undefined && !(await lockLiveKey(tx, keyId))) {
    throw unauthenticated('api_key_revoked', 'The API key has been revoked.')
  }
  if (identity.sessionId !== undefined && !(await lockLiveSession(tx, identity.sessionId))) {
    throw unauthenticated('token_revoked', 'The access token has been revoked.')
  }
}

/** Nobody gives away more than they have. */
export function assertNotAbove(own: Role, wanted: Role): void {
  if (wanted === 'worker' || roleAllows(own, wanted)) return
  throw unprocessable('role_too_high', 'The role is above that of whoever gives it.', [
    { path: '/role', code: 'too_high', message: `must not be above ${own}` },
  ])
}

/** An id that is no UUID names nothing. */
export function idParam(params: Record<string, string>, name: string, reason: string, what: string): string {
  const value = params[name]
  if (value !== undefined && isUuid(value)) return value
  throw notFound(reason, `There is no such ${what}.`)
}
