import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseProviders } from '../src/oidc/providers-field.js'
import { Browser, type Person, startProvider } from './oidc-provider.js'
import { type Iam, startIam } from './support.js'

const names = ['north', 'south'] as const
type Name = (typeof names)[number]

const people: Record<Name, Map<string, Person>> = { north: new Map(), south: new Map() }
const providers = new Map<Name, Awaited<ReturnType<typeof startProvider>>>()
let iam: Iam

const issuerOf = (name: Name): string => providers.get(name)?.issuer ?? ''

beforeAll(async () => {
  for (const name of names) providers.set(name, await startProvider(people[name]))
  const setting = names.map((id) => ({
    ...{ id, issuer: issuerOf(id), clientId: 'millrace', clientSecret: 'a-client-secret' },
  }))
  iam = await startIam({
    ...{ publicUrl: 'http://gateway.test', openRegistration: true },
    oidc: parseProviders(JSON.stringify(setting)),
  })
})

afterAll(async () => {
  await iam?.stop()
  for (const provider of providers.values()) await provider.close()
})

const host = () => new URL(iam.base).host

async function begin(browser: Browser, name: Name): Promise<URL> {
  const started = await browser.open(`${iam.base}/api/v1/auth/oidc/start?provider=${name}`)
  expect(started.status).toBe(302)
  return new URL(started.headers.get('location') ?? '')
}

const finish = (browser: Browser, back: URL) => browser.open(`${iam.base}${back.pathname}${back.search}`)

async function expectRefused(browser: Browser, back: URL): Promise<void> {
  const response = await finish(browser, back)
  expect([response.status, await response.json()]).toEqual([
    401,
    expect.objectContaining({ code: 'oidc_login_failed' }),
  ])
  expect(browser.cookies(host()).has('millrace_refresh')).toBe(false)
}

async function userOf(name: Name, login: string) {
  const browser = new Browser()
  const back = await browser.logIn((await begin(browser, name)).href, login)
  expect((await finish(browser, back)).status).toBe(302)
  const cookie = `millrace_refresh=${browser.cookies(host()).get('millrace_refresh') ?? ''}`
  const refreshed = await iam.api('POST', '/api/v1/auth/refresh', { headers: { cookie, 'x-millrace-console': '1' } })
  expect(refreshed.status).toBe(200)
  return (await iam.api('GET', '/api/v1/auth/me', { token: refreshed.body.accessToken })).body.user
}

test('an answer of one provider opens nothing in a login that was begun at the other', async () => {
  people.north.set('ann', { email: 'ann@north.example', email_verified: true })
  people.south.set('ann', { email: 'ann@south.example', email_verified: true })
  const north = new Browser()
  const ofNorth = await north.logIn((await begin(north, 'north')).href, 'ann')
  const south = new Browser()
  await south.logIn((await begin(south, 'south')).href, 'ann')
  await expectRefused(south, ofNorth)
  // Also with the state that the login at the other provider expects, whatever it says of who answered.
  for (const change of ['as it is', 'without issuer', 'with the issuer of the other']) {
    const other = new Browser()
    const begun = await begin(other, 'south')
    const answer = new URL(ofNorth)
    answer.searchParams.set('state', begun.searchParams.get('state') ?? '')
    if (change === 'without issuer') answer.searchParams.delete('iss')
    if (change === 'with the issuer of the other') answer.searchParams.set('iss', issuerOf('south'))
    await expectRefused(other, answer)
  }
  // The login that nobody meddled with goes on.
  expect((await finish(north, ofNorth)).status).toBe(302)
})

test('one subject at two providers is two people', async () => {
  people.north.set('42', { email: 'first@north.example', email_verified: true })
  people.south.set('42', { email: 'second@south.example', email_verified: true })
  const [first, second] = [await userOf('north', '42'), await userOf('south', '42')]
  expect([first.email, second.email]).toEqual(['first@north.example', 'second@south.example'])
  expect(first.id).not.toBe(second.id)
  expect((await userOf('north', '42')).id).toBe(first.id)
})

test('one confirmed address at two providers is one person; one that only the second does not vouch for is nobody', async () => {
  people.north.set('kim', { email: 'kim@both.example', email_verified: true })
  people.south.set('kim-of-south', { email: 'KIM@both.example', email_verified: true })
  people.south.set('stranger', { email: 'kim@both.example', email_verified: false })
  const kim = await userOf('north', 'kim')
  expect((await userOf('south', 'kim-of-south')).id).toBe(kim.id)
  expect((await userOf('north', 'kim')).id).toBe(kim.id)
  const browser = new Browser()
  const back = await browser.logIn((await begin(browser, 'south')).href, 'stranger')
  const refused = await finish(browser, back)
  expect([refused.status, await refused.json()]).toEqual([
    403,
    expect.objectContaining({ code: 'oidc_email_unverified' }),
  ])
})
