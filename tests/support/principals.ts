import { generateKeyPairSync } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import jwt from 'jsonwebtoken'
import { type Account, type Client, login, newUser } from './client.js'
import { addMember } from './members.js'
import { rank } from './role-calls.js'
import type { ApiKey } from './shapes.js'
import type { Target } from './target.js'

/** Whoever may stand before the gateway; `project` goes along as the header, where it is named. */
export interface Principal {
  token: string | undefined
  project: string | undefined
}

/** Keys that were good once, and tokens of sessions. */
const badKeys = ['none', 'expired', 'forged', 'revoked', 'disabled maker'] as const
const badTokens = ['expired token', 'ended session', 'disabled user'] as const
export const bad = [...badKeys, ...badTokens] as const
export const kinds = [...bad, 'other project', ...rank, 'worker key', 'admin'] as const
export type Kind = (typeof kinds)[number]

async function forged(target: Target, real: string): Promise<string> {
  const { kid } = jwt.decode(real, { complete: true })?.header ?? {}
  const claims = jwt.decode(real) as jwt.JwtPayload
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return jwt.sign(claims, privateKey, { algorithm: 'ES256', keyid: kid ?? target.url })
}

const refused = (client: Client) =>
  waitFor(async () => (await client.call('GET', '/api/v1/runs')).status === 401, { timeoutMs: 30_000 })

/** A key of somebody who made it and was then disabled. */
async function keyOfDisabled(target: Target, admin: Client): Promise<string> {
  const maker = await newUser(target)
  const { key } = await maker.client.createKey('owner')
  await admin.want(200, 'PATCH', `/api/v1/users/${maker.id}`, { body: { disabled: true } })
  await refused(maker.client.as(key))
  return key
}

async function revokedKey(owner: Account): Promise<string> {
  const { id, key } = await owner.client.createKey('owner')
  await owner.client.want(204, 'DELETE', `/api/v1/api-keys/${id}`)
  await refused(owner.client.as(key))
  return key
}

async function expiredKey(owner: Account): Promise<string> {
  const expiresAt = new Date(Date.now() + 1500).toISOString()
  const body = { name: 'short', role: 'owner', expiresAt }
  const { key } = await owner.client.want<ApiKey>(201, 'POST', '/api/v1/api-keys', { body })
  await refused(owner.client.as(key))
  return key
}

/** An access token that is not old yet, of a session that its owner has left. */
async function tokenOfEndedSession({ email, password, client }: Account): Promise<string> {
  const anonymous = client.as(undefined)
  const { accessToken, refreshToken } = await anonymous.want<{ accessToken: string; refreshToken: string }>(
    200,
    'POST',
    '/api/v1/auth/login',
    { body: { email, password } },
  )
  await anonymous.want(204, 'POST', '/api/v1/auth/logout', { body: { refreshToken } })
  await refused(client.as(accessToken))
  return accessToken
}

async function tokenOfDisabled(target: Target, admin: Client): Promise<string | undefined> {
  const { id, client } = await newUser(target)
  await admin.want(200, 'PATCH', `/api/v1/users/${id}`, { body: { disabled: true } })
  await refused(client)
  return client.token
}

/** Of a deployment that may be started again: of one that gives out tokens for a second alone, and is started again with the usual ones. */
export async function makeExpiredToken(target: Target): Promise<string | undefined> {
  const { standalone } = target
  if (!standalone) return undefined
  const { client } = await newUser(target)
  await refused(client)
  await standalone.startAgain({ MILLRACE_ACCESS_TOKEN_TTL: '15m' })
  return client.token
}

async function memberToken(target: Target, slug: string, role: string): Promise<string | undefined> {
  const { id, client } = await newUser(target)
  await addMember(target, slug, id, role)
  return client.token
}

/** One of each kind, towards the project of `owner`. */
export async function makePrincipals(
  target: Target,
  owner: Account,
  expiredToken: string | undefined,
): Promise<Record<Kind, Principal>> {
  const { slug } = owner.project
  const admin = await login(target, target.admin)
  const [expired, revoked, disabled, left, disabledUser, other, worker, ...members] = await Promise.all([
    expiredKey(owner),
    revokedKey(owner),
    keyOfDisabled(target, admin),
    tokenOfEndedSession(owner),
    tokenOfDisabled(target, admin),
    newUser(target).then(({ client }) => client.token),
    owner.client.createKey('worker').then(({ key }) => key),
    ...rank.map((role) => memberToken(target, slug, role)),
  ])
  const inProject = (token: string | undefined): Principal => ({ token, project: slug })
  const [viewer, operator, editor, own] = members.map(inProject)
  return {
    none: inProject(undefined),
    expired: inProject(expired),
    forged: inProject(await forged(target, owner.client.token ?? '')),
    revoked: inProject(revoked),
    // Its key is of another project: without the header, as it would be used.
    'disabled maker': { token: disabled, project: undefined },
    'expired token': inProject(expiredToken),
    'ended session': inProject(left),
    'disabled user': inProject(disabledUser),
    'other project': inProject(other),
    ...({ viewer, operator, editor, owner: own } as Record<(typeof rank)[number], Principal>),
    'worker key': inProject(worker),
    admin: { token: admin.token, project: undefined },
  }
}
