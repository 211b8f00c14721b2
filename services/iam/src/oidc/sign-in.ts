import { permissionDenied } from '@millrace/errors'
import type { Tx } from '@millrace/postgres'
import { findLinkedUser, grantMemberships, linkUser, revokeMemberships } from '../db/oidc.js'
import { revokeFamiliesOf } from '../db/refresh-tokens.js'
import { findLoginById, findUserByEmail, type LoginRow, markEmailVerified, replacePasswordHash } from '../db/users.js'
import { parseEmail } from '../domain/email.js'
import { rolesOfGroups } from '../domain/oidc-groups.js'
import { createUserWithProject } from '../http/create-user.js'
import { type Change, endWaysBack, type WaysBackEnded } from '../http/first-confirmation.js'
import type { OidcProvider } from './providers-field.js'

export type ProviderClaims = Readonly<Record<string, unknown>> & { readonly sub: string }

export interface SignedIn {
  id: string
  defaultProjectId: string | null
  changes: Change[]
  revokedKeyIds: string[]
}

/** Finds, links or makes the user, and lets memberships follow the groups; all of it or nothing. */
export async function signIn(
  tx: Tx,
  provider: OidcProvider,
  claims: ProviderClaims,
  unusableHash: string,
): Promise<SignedIn> {
  const changes: SignedIn['changes'] = []
  const who = { issuer: provider.issuer, subject: claims.sub }
  const linked = await findLinkedUser(tx, who)
  const found = linked === undefined ? await newlyLinked(tx, claims, unusableHash) : { id: linked }
  const { id, ended } = found
  const target = `user:${id}`
  if (linked === undefined) {
    await linkUser(tx, who, id)
    changes.push({ action: 'user.oidc_linked', target: `${target}:${provider.id}` }, ...(ended?.changes ?? []))
  }
  const user = await findLoginById(tx, id)
  if (!user || user.disabled) throw permissionDenied('user_disabled', 'The user is disabled.')
  if (provider.groups.size > 0) {
    const grants = rolesOfGroups(provider.groups, claims[provider.groupsClaim])
    const revoked = await revokeMemberships(
      tx,
      id,
      provider.id,
      grants.map(({ slug }) => slug),
    )
    const granted = await grantMemberships(tx, id, provider.id, grants)
    for (const slug of granted) changes.push({ action: 'member.changed', target: `project:${slug}:${target}` })
    for (const slug of revoked) changes.push({ action: 'member.removed', target: `project:${slug}:${target}` })
  }
  return { id, defaultProjectId: user.defaultProjectId, changes, revokedKeyIds: ended?.keyIds ?? [] }
}

interface Found {
  id: string
  ended?: WaysBackEnded
}

/** Only an address that the provider vouches for is anybody's. */
async function newlyLinked(tx: Tx, claims: ProviderClaims, unusableHash: string): Promise<Found> {
  if (typeof claims.email !== 'string' || claims.email_verified !== true) {
    throw permissionDenied('oidc_email_unverified', 'The identity provider has not confirmed an email address.')
  }
  const email = parseEmail(claims.email)
  const known = await findUserByEmail(tx, email)
  if (!known) {
    const name = typeof claims.name === 'string' ? claims.name.slice(0, 200) : null
    const account = { email, name, passwordHash: unusableHash, admin: false, emailVerified: true }
    return { id: (await createUserWithProject(tx, account)).user.id }
  }
  return known.emailVerified ? { id: known.id } : { id: known.id, ended: await takeOver(tx, known.id, unusableHash) }
}

/**
 * Whoever registered an address without confirming it may be a stranger who waits for its owner: password, sessions and
 * all else that leads back in end here.
 */
async function takeOver(tx: Tx, id: string, unusableHash: string): Promise<WaysBackEnded> {
  const login = (await findLoginById(tx, id)) as LoginRow
  await replacePasswordHash(tx, id, login.passwordHash, unusableHash)
  await revokeFamiliesOf(tx, id, null, 'oidc_linked')
  await markEmailVerified(tx, id)
  return endWaysBack(tx, id)
}
