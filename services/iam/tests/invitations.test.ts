import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Iam, startIam } from './support.js'

let iam: Iam
beforeAll(async () => {
  iam = await startIam()
})
afterAll(() => iam.stop())

type User = Awaited<ReturnType<Iam['newUser']>>

const path = (owner: User) => `/api/v1/projects/${owner.project.slug}/invitations`
const invite = (owner: User, email: string, role = 'editor') =>
  iam.api('POST', path(owner), { token: owner.token, body: { email, role } })
const accept = (user: { token: string }, token: string) =>
  iam.api('POST', `/api/v1/invitations/${token}/accept`, { token: user.token })
const rolesOf = async (user: { token: string }) => {
  const { body } = await iam.api('GET', '/api/v1/auth/me', { token: user.token })
  return Object.fromEntries(body.projects.map((p: { slug: string; role: string }) => [p.slug, p.role]))
}

describe('nobody becomes a member without consent', () => {
  test('putting a member tells nothing of which addresses exist, and changes nothing', async () => {
    const owner = await iam.newUser()
    const stranger = await iam.newUser()
    const put = (body: object) =>
      iam.api('PUT', `/api/v1/projects/${owner.project.slug}/members`, { token: owner.token, body })
    const known = await put({ email: stranger.email, role: 'viewer' })
    const unknown = await put({ email: 'nobody-here@example.org', role: 'viewer' })
    expect(known).toMatchObject({ status: 422, body: { code: 'invitation_required' } })
    expect(unknown.body).toEqual(known.body)
    expect((await put({ userId: stranger.id, role: 'viewer' })).body).toEqual(known.body)
    const byId = `/api/v1/projects/${owner.project.slug}/members/${stranger.id}`
    expect((await iam.api('PUT', byId, { token: owner.token, body: { role: 'viewer' } })).status).toBe(404)
    expect(await rolesOf(stranger)).not.toHaveProperty(owner.project.slug)
  })

  test("but by the platform's administrator, who need not be a member", async () => {
    const owner = await iam.newUser()
    const guest = await iam.newUser()
    await iam.join(owner.project.slug, guest.id, 'operator')
    expect(await rolesOf(guest)).toMatchObject({ [owner.project.slug]: 'operator' })
    const { token } = await iam.admin()
    expect((await iam.api('GET', '/api/v1/projects/no-such-project/members', { token })).status).toBe(404)
  })
})

describe('an invitation', () => {
  test('is mailed, listed and accepted once by the address it was sent to', async () => {
    const owner = await iam.newUser()
    const guest = await iam.newUser()
    const invited = await invite(owner, guest.email.toUpperCase())
    expect(invited).toMatchObject({ status: 201, body: { email: guest.email, role: 'editor' } })
    expect(JSON.stringify(invited.body)).not.toContain('oken')
    const token = await iam.mailedToken(guest.email, 'invitations')
    const listed = await iam.api('GET', path(owner), { token: owner.token })
    expect(listed.body.items).toMatchObject([{ id: invited.body.id, email: guest.email }])
    const other = await iam.newUser()
    expect(await accept(other, token)).toMatchObject({ status: 403, body: { code: 'invitation_for_another' } })
    expect((await iam.api('POST', `/api/v1/invitations/${token}/accept`)).status).toBe(401)
    const replies = await Promise.all([accept(guest, token), accept(guest, token)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422])
    expect(replies.find(({ status }) => status === 200)?.body).toMatchObject({
      project: { slug: owner.project.slug },
      role: 'editor',
    })
    expect(await rolesOf(guest)).toMatchObject({ [owner.project.slug]: 'editor' })
    expect((await iam.api('GET', path(owner), { token: owner.token })).body.items).toEqual([])
    expect(await invite(owner, guest.email)).toMatchObject({ status: 409, body: { code: 'already_member' } })
  })

  test('can be accepted by somebody who registers afterwards', async () => {
    const owner = await iam.newUser()
    await invite(owner, 'later@example.org', 'viewer')
    const token = await iam.mailedToken('later@example.org', 'invitations')
    expect((await accept(await iam.newUser('later@example.org'), token)).status).toBe(200)
  })

  test('that was revoked, replaced, expired, of a deleted project, or made up is no token', async () => {
    const owner = await iam.newUser()
    const guest = await iam.newUser()
    const bad = { status: 422, body: { code: 'invalid_token' } }
    const first = await invite(owner, guest.email)
    const one = await iam.mailedToken(guest.email, 'invitations')
    await invite(owner, guest.email, 'viewer')
    const two = await iam.mailedToken(guest.email, 'invitations', 2)
    expect(await accept(guest, one)).toMatchObject(bad)
    const remove = (id: string) => iam.api('DELETE', `${path(owner)}/${id}`, { token: owner.token })
    expect((await remove(first.body.id)).status).toBe(404)
    const [open] = (await iam.api('GET', path(owner), { token: owner.token })).body.items
    expect((await remove(open.id)).status).toBe(204)
    expect(await accept(guest, two)).toMatchObject(bad)
    const third = await invite(owner, guest.email)
    const three = await iam.mailedToken(guest.email, 'invitations', 3)
    await iam.pool.query('update invitations set expires_at = now() where id = $1', [third.body.id])
    expect(await accept(guest, three)).toMatchObject(bad)
    for (const made of ['x', 'A'.repeat(32), 'A'.repeat(4000), "' or 1=1"]) {
      expect(await accept(guest, encodeURIComponent(made))).toMatchObject(bad)
    }
    await invite(owner, guest.email)
    const four = await iam.mailedToken(guest.email, 'invitations', 4)
    const project = `/api/v1/projects/${owner.project.slug}`
    expect((await iam.api('DELETE', project, { token: owner.token })).status).toBe(204)
    expect(await accept(guest, four)).toMatchObject(bad)
  })

  test('is an owner affair, and a mail that fails is sent again', async () => {
    const owner = await iam.newUser()
    const editor = await iam.newUser()
    await iam.join(owner.project.slug, editor.id, 'editor')
    const call = { token: editor.token, body: { email: 'x@example.org', role: 'owner' } }
    expect((await iam.api('POST', path(owner), call)).status).toBe(403)
    expect((await iam.api('GET', path(owner), { token: editor.token })).status).toBe(403)
    expect((await invite(owner, 'not an address')).status).toBe(422)
    iam.sink.refuse(451)
    await invite(owner, 'patience@example.org')
    await iam.mailedToken('patience@example.org', 'invitations')
    const { rows } = await iam.pool.query(
      'select 1 from one_time_tokens t join invitations i on i.id = t.invitation_id where i.email = $1',
      ['patience@example.org'],
    )
    expect(rows).toHaveLength(1)
  })
})

describe('leaving and handing over', () => {
  test('a member may leave, the last owner may not, and a transfer makes another the owner', async () => {
    const owner = await iam.newUser()
    const guest = await iam.newUser()
    const project = `/api/v1/projects/${owner.project.slug}`
    const leave = ({ token }: { token: string }) => iam.api('POST', `${project}/leave`, { token })
    await iam.join(owner.project.slug, guest.id, 'viewer')
    expect((await leave(guest)).status).toBe(204)
    expect((await leave(guest)).status).toBe(404)
    expect(await leave(owner)).toMatchObject({ status: 409, body: { code: 'last_owner' } })
    const transfer = (userId: string) =>
      iam.api('POST', `${project}/transfer`, { token: owner.token, body: { userId } })
    expect((await transfer(guest.id)).status).toBe(404)
    await iam.join(owner.project.slug, guest.id, 'viewer')
    expect((await transfer(guest.id)).status).toBe(204)
    expect(await rolesOf(guest)).toMatchObject({ [owner.project.slug]: 'owner' })
    expect(await rolesOf(owner)).toMatchObject({ [owner.project.slug]: 'editor' })
    expect((await transfer(owner.id)).status).toBe(403)
  })
})
