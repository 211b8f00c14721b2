import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Iam, startIam } from './support.js'

let iam: Iam
beforeAll(async () => {
  iam = await startIam()
})
afterAll(() => iam.stop())

const pathOf = (project: { slug: string }) => `/api/v1/projects/${project.slug}`

describe('a project', () => {
  test('is renamed and given a retention by its owner; quotas are the administrator’s', async () => {
    const { token, project } = await iam.newUser()
    const patch = (body: object, by = token) => iam.api('PATCH', pathOf(project), { token: by, body })
    expect(await patch({ name: 'New name', retention: '30d' })).toMatchObject({
      status: 200,
      body: { slug: project.slug, name: 'New name', retention: '30d', quotas: { runsPerDay: null, streams: 100 } },
    })
    expect((await patch({ retention: null })).body).toMatchObject({ name: 'New name', retention: null })
    expect(await patch({ quotas: { streams: 5 } })).toMatchObject({ status: 403, body: { code: 'admin_required' } })
    const admin = await iam.admin()
    expect((await patch({ quotas: { streams: 5, workflows: null } }, admin.token)).status).toBe(200)
    expect((await iam.api('GET', pathOf(project), { token })).body.quotas).toEqual({
      runsPerDay: null,
      storageBytes: 53_687_091_200,
      streams: 5,
      schedules: 10_000,
      workflows: null,
      mailsPerDay: 1000,
    })
    for (const bad of [
      {},
      { retention: 'soon' },
      { retention: 1 },
      { retention: { age: 'soon' } },
      { retention: { days: 1 } },
      { quotas: { streams: -1 } },
      { quotas: { beer: 1 } },
      { slug: 'x' },
    ]) {
      expect((await patch(bad, admin.token)).status, JSON.stringify(bad)).toBe(422)
    }
  })

  test('that is deleted is gone for everybody at once, and then from the tables, and its slug is free', async () => {
    const owner = await iam.newUser()
    const guest = await iam.newUser()
    const { id, slug } = owner.project
    await iam.join(slug, guest.id, 'editor')
    const { key } = (
      await iam.api('POST', '/api/v1/api-keys', { token: owner.token, body: { name: 'k', role: 'owner' } })
    ).body
    await iam.api('PUT', '/api/v1/secrets/s', { token: owner.token, body: { value: 'v' } })
    expect((await iam.api('DELETE', pathOf(owner.project), { token: guest.token })).status).toBe(403)
    expect((await iam.api('DELETE', pathOf(owner.project), { token: owner.token })).status).toBe(204)
    expect((await iam.api('GET', pathOf(owner.project), { token: owner.token })).status).toBe(404)
    expect((await iam.api('GET', '/api/v1/runs', { token: guest.token, project: slug })).status).toBe(404)
    expect((await iam.api('GET', '/api/v1/runs', { token: key })).status).toBe(401)
    expect((await iam.api('DELETE', pathOf(owner.project), { token: owner.token })).status).toBe(404)
    await waitFor(async () => {
      const { rows } = await iam.pool.query(
        `select 1 from projects where id = $1 union all select 1 from secrets where project_id = $1
         union all select 1 from members where project_id = $1 union all select 1 from api_keys where project_id = $1`,
        [id],
      )
      return rows.length === 0
    })
    const { rows } = await iam.pool.query(`select key from events.log where topic = 'project.deleted' and key = $1`, [
      id,
    ])
    expect(rows).toHaveLength(1)
    const again = await iam.api('POST', '/api/v1/projects', { token: guest.token, body: { slug } })
    expect(again.status).toBe(201)
    expect((await iam.api('GET', '/api/v1/projects', { token: guest.token })).body.items[0].slug).toBe(slug)
  })
})
