import { randomUUID } from 'node:crypto'
import { IDENTITY_HEADER } from '@millrace/identity'
import { testService } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CallOptions, type Harness, makeComplete, startHarness } from './harness.js'

let h: Harness
let id: string
const runId = randomUUID()

beforeAll(async () => {
  h = await startHarness()
  id = await makeComplete(h, 'a.txt', 'hello', { runId })
})
afterAll(() => h.stop())

const routes: [string, string, CallOptions][] = [
  ['GET', '/api/v1/artifacts', {}],
  ['POST', '/api/v1/artifacts', { json: { name: 'x' } }],
  ['GET', '/api/v1/artifacts/ID', {}],
  ['GET', '/api/v1/artifacts/ID/content', {}],
  ['PUT', '/api/v1/artifacts/ID/content', { body: 'x' }],
  ['POST', '/api/v1/artifacts/ID/complete', {}],
  ['POST', '/api/v1/artifacts/ID/presign', { json: { expiresIn: 5 } }],
  ['DELETE', '/api/v1/artifacts/ID', {}],
]
const ask = (method: string, path: string, options: CallOptions) => h.call(method, path.replace('ID', id), options)
const ofOne = routes.filter(([, path]) => path.includes('ID'))

describe('the run of an artifact', () => {
  const create = (run: string) => h.call('POST', '/api/v1/artifacts', { json: { name: 'x', runId: run } })
  const count = async () => (await h.pool.query('select count(*)::int as n from artifacts')).rows[0].n

  test("is one of the project: another's is not there", async () => {
    const foreign = randomUUID()
    h.scheduler.projects.set(foreign, randomUUID())
    const before = await count()
    const answer = await create(foreign)
    expect([answer.status, answer.json.code]).toEqual([404, 'run_not_found'])
    expect(await count()).toBe(before)
  })

  test('may have begun a moment ago', async () => {
    const fresh = randomUUID()
    h.scheduler.arriving.set(fresh, 3)
    expect((await create(fresh)).status).toBe(201)
  })

  test('cannot be told while the scheduler is down', async () => {
    h.scheduler.down = true
    const answer = await create(randomUUID())
    h.scheduler.down = false
    expect(answer.status).toBe(503)
  })
})

describe('who may', () => {
  test.each(routes)('%s %s: nobody without an identity', async (method, path, options) => {
    expect((await ask(method, path, { ...options, as: null })).status).toBe(401)
  })

  test.each(ofOne)('%s %s: another project finds nothing', async (method, path, options) => {
    const answer = await ask(method, path, { ...options, as: { projectId: randomUUID() } })
    expect([answer.status, answer.json.code]).toEqual([404, 'artifact_not_found'])
  })

  test('another project’s list is empty', async () => {
    const answer = await h.call('GET', `/api/v1/artifacts?run=${runId}`, { as: { projectId: randomUUID() } })
    expect(answer.json.items).toEqual([])
  })

  test.each(ofOne)('%s %s: an id that is none is absent', async (method, path, options) => {
    const answer = await h.call(method, path.replace('ID', 'not-an-id'), options)
    expect(answer.status).toBe(404)
  })

  test.each(['viewer', 'operator'] as const)('a %s reads and does not write', async (role) => {
    for (const [method, path, options] of routes) {
      const { status } = await ask(method, path, { ...options, as: { role } })
      expect([method, path, status]).toEqual([method, path, method === 'GET' ? 200 : 403])
    }
  })
})

describe('a worker', () => {
  const session = randomUUID()
  const worker = (extra: Record<string, string> = { 'x-millrace-session': session }) => ({
    as: { role: 'worker' as const, subject: 'key:1' },
    headers: extra,
  })

  test.each(ofOne)('%s %s: nothing without a lease in the run', async (method, path, options) => {
    for (const headers of [{}, { 'x-millrace-session': session }, { 'x-millrace-session': 'junk' }]) {
      const answer = await ask(method, path, { ...options, ...worker(headers as Record<string, string>) })
      expect([answer.status, answer.json.code]).toEqual([403, 'lease_required'])
    }
  })

  test('of another project cannot even tell that a file exists', async () => {
    const as = { role: 'worker' as const, subject: 'key:2', projectId: randomUUID() }
    const answer = await h.call('GET', `/api/v1/artifacts/${id}`, { as, headers: { 'x-millrace-session': session } })
    expect([answer.status, answer.json.code]).toEqual([404, 'artifact_not_found'])
  })

  test('reads and writes files of a run in which it holds a lease', async () => {
    h.scheduler.leases.set(`${session} ${runId}`, h.projectId)
    expect((await ask('GET', '/api/v1/artifacts/ID/content', worker())).bytes.toString()).toBe('hello')
    expect((await h.call('GET', `/api/v1/artifacts?run=${runId}`, worker())).json.items).toHaveLength(1)
    const created = await h.call('POST', '/api/v1/artifacts', { ...worker(), json: { name: 'out.txt', runId } })
    expect(created.status).toBe(201)
    const put = await h.call('PUT', `/api/v1/artifacts/${created.json.id}/content`, { ...worker(), body: 'out' })
    expect([put.status, put.json.runId]).toEqual([200, runId])
    h.scheduler.leases.clear()
    expect((await ask('GET', '/api/v1/artifacts/ID/content', worker())).status).toBe(403)
  })

  test('neither lists a whole project nor makes files outside of a run', async () => {
    h.scheduler.leases.set(`${session} ${runId}`, h.projectId)
    expect((await h.call('GET', '/api/v1/artifacts', worker())).status).toBe(403)
    expect((await h.call('POST', '/api/v1/artifacts', { ...worker(), json: { name: 'x' } })).status).toBe(403)
    const other = { name: 'x', runId: randomUUID() }
    expect((await h.call('POST', '/api/v1/artifacts', { ...worker(), json: other })).status).toBe(403)
  })

  test('gains nothing by the session of another key of its project', async () => {
    h.scheduler.leases.set(`${session} ${runId}`, h.projectId)
    h.scheduler.owners.set(session, 'key:1')
    const thief = { ...worker(), as: { role: 'worker' as const, subject: 'key:2' } }
    for (const [method, path, options] of ofOne) {
      const answer = await ask(method, path, { ...options, ...thief })
      expect([method, path, answer.status, answer.json.code]).toEqual([method, path, 403, 'lease_required'])
    }
    expect((await ask('GET', '/api/v1/artifacts/ID/content', worker())).status).toBe(200)
    h.scheduler.owners.clear()
  })

  test('of one project gains nothing by a session of another', async () => {
    const foreignRun = randomUUID()
    h.scheduler.leases.set(`${session} ${foreignRun}`, randomUUID())
    const answer = await h.call('POST', '/api/v1/artifacts', { ...worker(), json: { name: 'x', runId: foreignRun } })
    expect([answer.status, answer.json.code]).toEqual([403, 'lease_required'])
  })

  test('that serves all projects acts in the project of the run', async () => {
    h.scheduler.leases.set(`${session} ${runId}`, h.projectId)
    const as = { role: 'worker' as const, subject: 'service:worker', projectId: randomUUID() }
    const created = await h.call('POST', '/api/v1/artifacts', {
      as,
      headers: { 'x-millrace-session': session },
      json: { name: 'shared.txt', runId },
    })
    expect(created.status).toBe(201)
    expect((await h.call('GET', `/api/v1/artifacts/${created.json.id}`)).json.name).toBe('shared.txt')
  })

  test('is told to come back when leases cannot be checked', async () => {
    h.scheduler.down = true
    const answer = await ask('GET', '/api/v1/artifacts/ID', worker())
    h.scheduler.down = false
    expect(answer.status).toBeGreaterThanOrEqual(500)
    expect(answer.json.code).toBeTypeOf('string')
  })
})

describe('the scheduler', () => {
  const projectId = randomUUID()
  const chosen = randomUUID()
  const headers = (extra: Record<string, string> = {}) => ({
    [IDENTITY_HEADER]: testService('scheduler').tokenFor('artifact'),
    'x-millrace-project-id': projectId,
    ...extra,
  })
  const create = () =>
    h.call('POST', '/api/v1/artifacts', {
      as: null,
      headers: headers({ 'x-millrace-artifact-id': chosen }),
      json: { name: 'output.json', runId, task: 'a' },
    })
  const put = (body: string) =>
    h.call('PUT', `/api/v1/artifacts/${chosen}/content`, { as: null, headers: headers(), body })

  test('writes an output under an id of its choice, once, for the project that it names', async () => {
    for (let i = 0; i < 2; i += 1) expect(await create()).toMatchObject({ status: 201, json: { id: chosen } })
    expect((await put('"one"')).status).toBe(200)
    expect((await create()).status).toBe(201)
    expect((await put('"two"')).status).toBe(409)
    const path = `/api/v1/artifacts/${chosen}`
    expect((await h.call('GET', path, { as: { projectId } })).json).toMatchObject({ runId, task: 'a', size: 5 })
    expect((await h.call('GET', path)).status).toBe(404)
    expect((await h.call('GET', `${path}/content`, { as: null, headers: headers() })).bytes.toString()).toBe('"one"')
    const foreign = headers({ 'x-millrace-project-id': randomUUID() })
    expect((await h.call('GET', `${path}/content`, { as: null, headers: foreign })).status).toBe(404)
  })

  test('nobody else chooses an id', async () => {
    const wanted = { 'x-millrace-artifact-id': randomUUID(), 'x-millrace-project-id': randomUUID() }
    const { json } = await h.call('POST', '/api/v1/artifacts', { json: { name: 'a' }, headers: wanted })
    expect(json.id).not.toBe(wanted['x-millrace-artifact-id'])
    expect((await h.call('GET', `/api/v1/artifacts/${json.id}`)).status).toBe(200)
  })
})
