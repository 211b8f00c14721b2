import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseProviders } from '../src/oidc/providers-field.js'
import { Browser, type Person, startProvider } from './oidc-provider.js'
import { type Call, type Iam, startIam } from './support.js'

const people = new Map<string, Person>()
let provider: Awaited<ReturnType<typeof startProvider>>
let iam: Iam

beforeAll(async () => {
  provider = await startProvider(people)
  const corp = { id: 'corp', issuer: provider.issuer, clientId: 'millrace', clientSecret: 'a-client-secret' }
  iam = await startIam({
    ...{ publicUrl: 'http://gateway.test', openRegistration: true },
    oidc: parseProviders(JSON.stringify([corp])),
  })
})

afterAll(async () => {
  await iam?.stop()
  await provider?.close()
})

async function made(path: string, call: Call) {
  const { status, body } = await iam.api('POST', `/api/v1/${path}`, call)
  expect([path, status, body]).toEqual([path, 201, expect.anything()])
  return body
}

async function newKey(token: string, more: object = {}): Promise<{ id: string; key: string }> {
  return made('api-keys', { token, body: { name: 'a key', role: 'owner', ...more } })
}

/** All that somebody with an account can make to come back with, and what others made in the same project. */
async function wayBackIn(email: string) {
  const stranger = await iam.newUser(email)
  const { slug } = stranger.project
  const other = await iam.newUser()
  await iam.join(slug, other.id, 'owner')
  const others = await made('api-keys', { token: other.token, project: slug, body: { name: 'other', role: 'owner' } })
  const own = await newKey(stranger.token)
  const byKey = await newKey(own.key)
  // Made with a key, and its key by somebody else: it is theirs all the same.
  const account = await made('service-accounts', { token: own.key, body: { name: 'robot', role: 'owner' } })
  const ofAccount = await newKey(others.key, { serviceAccountId: account.id })
  const invited = `friend-of-${email}`
  const invitation = { token: stranger.token, body: { email: invited, role: 'owner' } }
  const { id: invitationId } = await made(`projects/${slug}/invitations`, invitation)
  const link = await iam.mailedToken(invited, 'invitations')
  const keys = { own, byKey, ofAccount }
  for (const [name, { key }] of Object.entries(keys)) expect([name, await statusWith(key)]).toEqual([name, 200])
  return { stranger, keys, others, account, invited, invitationId, link }
}

const statusWith = async (key: string) => (await iam.api('GET', '/api/v1/api-keys', { token: key })).status

async function resetByMail(email: string): Promise<void> {
  await iam.api('POST', '/api/v1/auth/password/forgot', { body: { email } })
  const token = await iam.mailedToken(email, 'reset')
  const body = { token, new: 'another good passphrase 8' }
  expect((await iam.api('POST', '/api/v1/auth/password/reset', { body })).status).toBe(204)
}

async function comeByProvider(email: string): Promise<void> {
  people.set(email, { email, email_verified: true })
  const browser = new Browser()
  const started = await browser.open(`${iam.base}/api/v1/auth/oidc/start?provider=corp`)
  const back = await browser.logIn(started.headers.get('location') ?? '', email)
  expect((await browser.open(`${iam.base}${back.pathname}${back.search}`)).status).toBe(302)
}

const ways = [
  ['a password reset', resetByMail],
  ['a login at a provider', comeByProvider],
] as const

async function expectAudited(projectId: string, actor: string, entries: readonly string[]): Promise<void> {
  const text = `select action || ' ' || target as entry from audit where project_id = $1 and actor = $2`
  const missing = async () => {
    const { rows } = await iam.pool.query<{ entry: string }>(text, [projectId, actor])
    return entries.filter((wanted) => !rows.some(({ entry }) => entry === wanted))
  }
  await waitFor(async () => (await missing()).length === 0, { what: `audit entries ${entries.join(', ')}` })
}

test.each(ways)('whoever had an account before %s confirmed its address has no way back in', async (way, confirm) => {
  const email = `squatted-${way.replaceAll(' ', '-')}@example.org`
  const { stranger, keys, others, account, invited, invitationId, link } = await wayBackIn(email)
  await confirm(email)
  for (const [name, { key }] of Object.entries(keys)) expect([name, await statusWith(key)]).toEqual([name, 401])
  const friend = await iam.newUser(invited)
  const accepted = await iam.api('POST', `/api/v1/invitations/${link}/accept`, { token: friend.token })
  expect(accepted).toMatchObject({ status: 422, body: { code: 'invalid_token' } })
  // What other members made themselves is theirs.
  expect(await statusWith(others.key)).toBe(200)
  const { body } = await iam.api('GET', '/api/v1/service-accounts', { token: others.key })
  expect(body.items).toEqual([])
  await expectAudited(stranger.project.id, `user:${stranger.id}`, [
    ...Object.values(keys).map(({ id }) => `api_key.revoked key:${id}`),
    `service_account.deleted service-account:${account.id}`,
    `invitation.revoked invitation:${invitationId}`,
  ])
})

test.each(ways)('an account whose address was confirmed keeps its keys at %s', async (way, confirm) => {
  const email = `confirmed-${way.replaceAll(' ', '-')}@example.org`
  const { token } = await iam.newUser(email)
  const verify = await iam.mailedToken(email, 'verify')
  const before = await newKey(token)
  expect((await iam.api('POST', '/api/v1/auth/verify', { body: { token: verify } })).status).toBe(204)
  const after = await newKey(token)
  await confirm(email)
  for (const { key } of [before, after]) expect(await statusWith(key)).toBe(200)
})

test('the mail with the link says what it will revoke, where the address was never confirmed', async () => {
  const email = 'told@example.org'
  await iam.newUser(email)
  const says = (raw: string | undefined) => raw?.includes('the API keys, service accounts and open') ?? false
  await resetByMail(email)
  await iam.api('POST', '/api/v1/auth/password/forgot', { body: { email } })
  await iam.mailedToken(email, 'reset', 2)
  const mails = iam.mailsTo(email).filter((raw) => raw.includes('/reset?token='))
  expect(mails.map(says)).toEqual([true, false])
})

/** As a request whose body takes its time: it was let in before, and arrives after. */
async function letIn(path: string, token: string, body: object): Promise<() => Promise<number>> {
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, 'x-request-id': 'slow' }
  const { okResponse } = await iam.ask('POST', path, headers)
  expect(okResponse, path).toBeTruthy()
  for (const { header } of okResponse?.headers ?? []) headers[header?.key ?? ''] = header?.value ?? ''
  return async () => (await iam.send(`${iam.base}${path}`, 'POST', { body }, headers)).status
}

test.each(ways)('what was begun before %s makes nothing after it', async (way, confirm) => {
  const email = `slow-${way.replaceAll(' ', '-')}@example.org`
  const { token, project } = await iam.newUser(email)
  const own = await newKey(token)
  const bodies: [string, object][] = [
    ['/api/v1/api-keys', { name: 'late', role: 'owner' }],
    ['/api/v1/service-accounts', { name: 'late', role: 'owner' }],
    [`/api/v1/projects/${project.slug}/invitations`, { email: 'late@example.org', role: 'owner' }],
  ]
  const begun: [string, () => Promise<number>][] = []
  for (const [path, body] of bodies) begun.push([`${path} by a session`, await letIn(path, token, body)])
  for (const [path, body] of bodies.slice(0, 2)) begun.push([`${path} by a key`, await letIn(path, own.key, body)])
  await confirm(email)
  for (const [name, finish] of begun) expect([name, await finish()]).toEqual([name, 401])
})
