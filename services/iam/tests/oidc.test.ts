import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseProviders } from '../src/oidc/providers-field.js'
import { Browser, type Person, startProvider } from './oidc-provider.js'
import { type Iam, startIam } from './support.js'

const people = new Map<string, Person>()
let provider: Awaited<ReturnType<typeof startProvider>>
let iam: Iam
let team: { project: { id: string; slug: string }; token: string; id: string }

beforeAll(async () => {
  provider = await startProvider(people)
  const common = { clientId: 'millrace', clientSecret: 'a-client-secret' }
  iam = await startIam({
    publicUrl: 'http://gateway.test',
    openRegistration: true,
    oidc: parseProviders(
      JSON.stringify([
        {
          ...{ id: 'corp', name: 'Corporate', issuer: provider.issuer, ...common },
          groups: { eng: { 'the-team': 'editor' }, leads: { 'the-team': 'owner' } },
        },
        { id: 'gone', issuer: 'http://127.0.0.1:9', ...common },
      ]),
    ),
  })
  const owner = await iam.newUser()
  const created = await iam.api('POST', '/api/v1/projects', { token: owner.token, body: { slug: 'the-team' } })
  team = { project: created.body, token: owner.token, id: owner.id }
})

afterAll(async () => {
  await iam?.stop()
  await provider?.close()
})

const path = '/api/v1/auth/oidc'
const host = () => new URL(iam.base).host

async function begin(browser: Browser, id = 'corp', to = ''): Promise<string> {
  const started = await browser.open(`${iam.base}${path}/start?${new URLSearchParams({ provider: id, to })}`)
  expect(started.status).toBe(302)
  return started.headers.get('location') ?? ''
}

const finish = (browser: Browser, back: URL) => browser.open(`${iam.base}${back.pathname}${back.search}`)

async function logIn(login: string, browser = new Browser()): Promise<Response> {
  return finish(browser, await browser.logIn(await begin(browser), login))
}

/** As the console does after the redirect. */
async function me(browser: Browser) {
  const cookie = `millrace_refresh=${browser.cookies(host()).get('millrace_refresh') ?? ''}`
  const refreshed = await iam.api('POST', '/api/v1/auth/refresh', { headers: { cookie, 'x-millrace-console': '1' } })
  expect(refreshed.status, JSON.stringify(refreshed.body)).toBe(200)
  return (await iam.api('GET', '/api/v1/auth/me', { token: refreshed.body.accessToken })).body
}

async function expectProblem(response: Response, status: number, code: string): Promise<void> {
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ code })
}

test('the providers are listed, without what is secret', async () => {
  const { status, body } = await iam.api('GET', `${path}/providers`)
  expect(status).toBe(200)
  expect(body.items).toEqual([
    { id: 'corp', name: 'Corporate', startUrl: `${path}/start?provider=corp` },
    { id: 'gone', name: 'gone', startUrl: `${path}/start?provider=gone` },
  ])
})

test('a new person gets an account, a project and a session of the browser', async () => {
  people.set('alice', { email: 'Alice@corp.example', email_verified: true, name: 'Alice' })
  const browser = new Browser()
  const done = await logIn('alice', browser)
  expect([done.status, done.headers.get('location')]).toEqual([302, 'http://gateway.test/'])
  expect(browser.cookies(host()).has('millrace_oidc')).toBe(false)
  const { user, projects } = await me(browser)
  expect(user).toMatchObject({ email: 'alice@corp.example', name: 'Alice', emailVerified: true })
  expect(projects).toMatchObject([{ role: 'owner' }])
  // The same person, also when the provider has another address for them now.
  people.set('alice', { email: 'married@corp.example', email_verified: true })
  const again = new Browser()
  await logIn('alice', again)
  expect((await me(again)).user.id).toBe(user.id)
})

test('the browser comes back to the page that it came from, and to no other address', async () => {
  people.set('gil', { email: 'gil@corp.example', email_verified: true })
  const landing = async (to: string) => {
    const browser = new Browser()
    const back = await browser.logIn(await begin(browser, 'corp', to), 'gil')
    // What the provider is sent back with has no say in it.
    back.searchParams.set('to', '//evil.example')
    return (await finish(browser, back)).headers.get('location')
  }
  const page = '/p/the-team/approvals?open=1%3Asign-off'
  expect(await landing(page)).toBe(`http://gateway.test${page}`)
  for (const to of ['//evil.example', '/\\evil.example', 'https://evil.example']) {
    expect(await landing(to), to).toBe('http://gateway.test/')
  }
})

test('the request to the provider carries PKCE, state and nonce; the cookie is for this path alone', async () => {
  const response = await fetch(`${iam.base}${path}/start?provider=corp`, { redirect: 'manual' })
  const url = new URL(response.headers.get('location') ?? '')
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    ...{ response_type: 'code', code_challenge_method: 'S256', code_challenge: expect.stringMatching(/^.{43}$/) },
    ...{ state: expect.stringMatching(/^.{43}$/), nonce: expect.stringMatching(/^.{43}$/) },
  })
  const cookie = response.headers.getSetCookie()[0] ?? ''
  expect(cookie).toMatch(/^millrace_oidc=[A-Za-z0-9_-]+; .*Path=\/api\/v1\/auth\/oidc; .*HttpOnly/)
  expect(cookie).toContain('SameSite=Lax')
  expect(cookie).not.toContain(url.searchParams.get('state'))
})

test('an answer that another browser began, a changed one, and one shown twice open nothing', async () => {
  people.set('bob', { email: 'bob@corp.example', email_verified: true })
  const browser = new Browser()
  const back = await browser.logIn(await begin(browser), 'bob')
  await expectProblem(await finish(new Browser(), back), 401, 'oidc_login_failed')
  const other = new Browser()
  await begin(other)
  await expectProblem(await finish(other, back), 401, 'oidc_login_failed')
  const copy = new Browser()
  const backOfCopy = await copy.logIn(await begin(copy), 'bob')
  backOfCopy.searchParams.set('code', 'another')
  await expectProblem(await finish(copy, backOfCopy), 401, 'oidc_login_failed')
  expect((await finish(browser, back)).status).toBe(302)
  await expectProblem(await finish(browser, back), 401, 'oidc_login_failed')
})

test('an address that the provider does not vouch for is nobody', async () => {
  people.set('eve', { email: 'eve@corp.example', email_verified: false })
  await expectProblem(await logIn('eve'), 403, 'oidc_email_unverified')
  people.set('mallory', {})
  await expectProblem(await logIn('mallory'), 403, 'oidc_email_unverified')
})

test('a person who was here is linked; what a stranger registered under the address ends', async () => {
  const squatter = await iam.newUser('carol@corp.example')
  people.set('carol', { email: 'carol@corp.example', email_verified: true })
  const browser = new Browser()
  expect((await logIn('carol', browser)).status).toBe(302)
  expect((await me(browser)).user.id).toBe(squatter.id)
  await expect(iam.login('carol@corp.example')).rejects.toThrow('invalid_credentials')
  const refreshed = await iam.api('POST', '/api/v1/auth/refresh', { body: { refreshToken: squatter.refreshToken } })
  expect(refreshed.status).toBe(401)
})

test('memberships follow the groups; what people decided stays', async () => {
  people.set('dan', { email: 'dan@corp.example', email_verified: true, groups: ['eng', 'other'] })
  const roleOf = async (login: string) => {
    const browser = new Browser()
    expect((await logIn(login, browser)).status).toBe(302)
    const { user, projects } = await me(browser)
    return { id: user.id, role: projects.find(({ slug }: { slug: string }) => slug === 'the-team')?.role }
  }
  const { id, role } = await roleOf('dan')
  expect(role).toBe('editor')
  people.set('dan', { email: 'dan@corp.example', email_verified: true, groups: ['eng', 'leads'] })
  expect((await roleOf('dan')).role).toBe('owner')
  people.set('dan', { email: 'dan@corp.example', email_verified: true })
  expect((await roleOf('dan')).role).toBeUndefined()
  await iam.join('the-team', id, 'viewer')
  people.set('dan', { email: 'dan@corp.example', email_verified: true, groups: ['eng'] })
  expect((await roleOf('dan')).role).toBe('viewer')
  const { body } = await iam.api('GET', `/api/v1/projects/the-team/members/${team.id}`, { token: team.token })
  expect(body.role).toBe('owner')
})

test('who is disabled stays out', async () => {
  people.set('fay', { email: 'fay@corp.example', email_verified: true })
  const browser = new Browser()
  await logIn('fay', browser)
  const { user } = await me(browser)
  const { token } = await iam.admin()
  await iam.api('PATCH', `/api/v1/users/${user.id}`, { token, body: { disabled: true } })
  await expectProblem(await logIn('fay'), 403, 'user_disabled')
})

test('a provider that is away is an outage, an unknown one is not there', async () => {
  await expectProblem(await fetch(`${iam.base}${path}/start?provider=gone`), 503, 'oidc_unavailable')
  await expectProblem(await fetch(`${iam.base}${path}/start?provider=none`), 404, 'oidc_provider_not_found')
})

test('without providers all of it is 404', async () => {
  const plain = await startIam()
  for (const what of ['providers', 'start?provider=corp', 'callback?code=x&state=y']) {
    const { status, body } = await plain.api('GET', `${path}/${what}`)
    expect([status, body.code], what).toEqual([404, 'oidc_not_configured'])
  }
  await plain.stop()
})

test('faults of the setting are named, and nothing in it is quoted', () => {
  const faults = [
    '{',
    '{}',
    '[{"id":"a"}]',
    '[{"id":"a","issuer":"http://example.org","clientId":"x","clientSecret":"hunter2"}]',
    '[{"id":"a","issuer":"https://example.org","clientId":"x","clientSecret":"hunter2","groups":{"g":{"p":"king"}}}]',
    '[{"id":"a","issuer":"https://example.org","clientId":"x","secret":"hunter2"}]',
  ]
  for (const fault of faults) {
    expect(() => parseProviders(fault)).toThrow()
    expect(() => parseProviders(fault)).not.toThrow('hunter2')
  }
})
