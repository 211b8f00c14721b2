import { randomBytes } from 'node:crypto'
import { iamServiceDefinition } from '@millrace/contracts'
import { createGrpcClient } from '@millrace/grpc'
import { parseServicePrivateKey, SERVICE_TOKEN_TYPE } from '@millrace/identity'
import { testService, testServiceEnv } from '@millrace/testkit'
import jwt from 'jsonwebtoken'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Iam, startIam } from './support.js'

let iam: Iam
beforeAll(async () => {
  iam = await startIam()
})
afterAll(() => iam.stop())

const put = (token: string, name: string, value: unknown, project?: string) =>
  iam.api('PUT', `/api/v1/secrets/${name}`, { token, body: { value }, ...(project === undefined ? {} : { project }) })
const remove = (token: string, name: string) => iam.api('DELETE', `/api/v1/secrets/${name}`, { token })
const list = (token: string, query = '') => iam.api('GET', `/api/v1/secrets${query}`, { token })

async function read(
  projectId: string,
  names: string[],
  token = testService('scheduler').tokenFor('iam'),
  address = iam.service.grpcPort,
) {
  const client = createGrpcClient(iamServiceDefinition, `127.0.0.1:${address}`, {
    serviceToken: () => token,
  })
  try {
    return await client.getSecrets({ projectId, names })
  } finally {
    client.close()
  }
}

test('a secret is stored, listed without its value, replaced, read by the scheduler, and deleted', async () => {
  const { token, project, id } = await iam.newUser()
  const first = await put(token, 'API_KEY', 'first value')
  expect(first).toMatchObject({ status: 200, body: { name: 'API_KEY', updatedBy: `user:${id}` } })
  expect((await put(token, 'API_KEY', 'first value')).status).toBe(200)
  const second = await put(token, 'API_KEY', 'second value')
  expect(second.body.createdAt).toBe(first.body.createdAt)
  expect(Date.parse(second.body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(first.body.updatedAt))
  const shown = await list(token)
  expect(shown.body).toEqual({ items: [second.body], nextCursor: null })
  expect(JSON.stringify([first.body, second.body, shown.body])).not.toContain('value')
  expect(await read(project.id, ['API_KEY', 'absent', 'API_KEY'])).toEqual({
    secrets: [{ name: 'API_KEY', value: 'second value' }],
    unreadable: [],
  })
  expect((await remove(token, 'API_KEY')).status).toBe(204)
  expect(await remove(token, 'API_KEY')).toMatchObject({ status: 404, body: { code: 'secret_not_found' } })
  expect((await read(project.id, ['API_KEY'])).secrets).toEqual([])
})

test('any text comes back as it was', async () => {
  const { token, project } = await iam.newUser()
  const values = { a: '😀 "quoted" \\ \n\t\u0000 end', b: 'x'.repeat(64 * 1024), c: ' ' }
  for (const [name, value] of Object.entries(values)) expect((await put(token, name, value)).status).toBe(200)
  const { secrets } = await read(project.id, ['a', 'b', 'c'])
  expect(Object.fromEntries(secrets.map(({ name, value }) => [name, value]))).toEqual(values)
})

test('neither tables, events nor the audit log have the value; the audit log has who and what', async () => {
  const { token, id } = await iam.newUser()
  const value = randomBytes(24).toString('hex')
  await put(token, 'planted', value)
  await put(token, 'planted', value)
  await remove(token, 'planted')
  await put(token, 'planted', value)
  const { rows: tables } = await iam.pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('iam', 'events') and table_type = 'BASE TABLE'`,
  )
  expect(tables.length).toBeGreaterThan(10)
  const forms = [value, Buffer.from(value).toString('base64').replace(/=+$/, ''), Buffer.from(value).toString('hex')]
  for (const { name } of tables) {
    const { rows } = await iam.pool.query<{ row: string }>(`select t::text as row from ${name} t`)
    for (const { row } of rows) for (const form of forms) expect(row, name).not.toContain(form)
  }
  const entries = async () => (await iam.api('GET', '/api/v1/audit?target=secret:planted', { token })).body.items
  await expect.poll(entries).toHaveLength(4)
  expect(await entries()).toMatchObject([
    { action: 'secret.put', actor: `user:${id}` },
    { action: 'secret.deleted' },
    { action: 'secret.put' },
    { action: 'secret.put' },
  ])
})

test('each secret has a data key of its own, and does not open in another row', async () => {
  const one = await iam.newUser()
  const two = await iam.newUser()
  await put(one.token, 'a', 'same')
  await put(one.token, 'b', 'same')
  await put(two.token, 'a', 'other')
  const rows = await iam.pool.query('select wrapped_key, sealed from secrets where project_id = $1', [one.project.id])
  expect(new Set(rows.rows.flatMap((row) => [row.wrapped_key.toString('hex'), row.sealed.toString('hex')])).size).toBe(
    4,
  )
  await iam.pool.query(
    `update secrets t set wrapped_key = s.wrapped_key, sealed = s.sealed from secrets s
     where s.project_id = $1 and s.name = 'a' and ((t.project_id = $1 and t.name = 'b') or (t.project_id = $2 and t.name = 'a'))`,
    [one.project.id, two.project.id],
  )
  expect(await read(one.project.id, ['a', 'b'])).toEqual({
    secrets: [{ name: 'a', value: 'same' }],
    unreadable: ['b'],
  })
  expect(await read(two.project.id, ['a'])).toEqual({ secrets: [], unreadable: ['a'] })
})

test('only the scheduler reads values', async () => {
  const { token, project } = await iam.newUser()
  await put(token, 'a', 'v')
  for (const service of ['workflow', 'worker', 'artifact'] as const) {
    const refusal = { code: 'permission_denied', reason: 'forbidden_service' }
    await expect(read(project.id, ['a'], testService(service).tokenFor('iam'))).rejects.toMatchObject(refusal)
  }
  await expect(read('no-project', ['a'])).rejects.toThrow(/project/)
})

test('who holds the worker’s key cannot pass for the scheduler', async () => {
  const { token, project } = await iam.newUser()
  await put(token, 'a', 'v')
  const claims = { issuer: 'scheduler', audience: 'iam', expiresIn: 60 }
  const header = { alg: 'ES256', typ: SERVICE_TOKEN_TYPE }
  const workerKey = parseServicePrivateKey(testServiceEnv('worker').MILLRACE_SERVICE_KEY ?? '')
  const forged = jwt.sign({}, workerKey, { ...claims, algorithm: 'ES256', header })
  await expect(read(project.id, ['a'], forged)).rejects.toMatchObject({ code: 'unauthenticated' })
  const unsigned = jwt.sign({}, '', { ...claims, algorithm: 'none', header: { ...header, alg: 'none' } })
  await expect(read(project.id, ['a'], unsigned)).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('a project sees and touches only its own', async () => {
  const one = await iam.newUser()
  const two = await iam.newUser()
  await put(one.token, 'mine', 'v')
  expect((await list(two.token)).body.items).toEqual([])
  expect((await remove(two.token, 'mine')).status).toBe(404)
  expect((await read(two.project.id, ['mine'])).secrets).toEqual([])
  expect((await list(one.token)).body.items).toHaveLength(1)
})

test('editors may, those below may not', async () => {
  const owner = await iam.newUser()
  const { slug } = owner.project
  for (const [role, status] of [
    ['viewer', 403],
    ['operator', 403],
    ['editor', 200],
  ] as const) {
    const member = await iam.newUser()
    await iam.join(slug, member.id, role)
    expect((await put(member.token, 'a', 'v', slug)).status, role).toBe(status)
    const listed = await iam.api('GET', '/api/v1/secrets', { token: member.token, project: slug })
    expect(listed.status, role).toBe(status)
  }
  expect((await iam.api('GET', '/api/v1/secrets')).status).toBe(401)
})

test.each([
  ['a name with a hyphen', 'a-b', 'v'],
  ['a name that begins with a digit', '1a', 'v'],
  ['a name of 64', 'a'.repeat(64), 'v'],
  ['no value', 'a', undefined],
  ['an empty value', 'a', ''],
  ['a number', 'a', 7],
  ['a value over 64 KiB', 'a', 'é'.repeat(32 * 1024 + 1)],
  ['half a surrogate pair', 'a', '\ud800'],
])('%s breaks a rule, and the answer does not repeat the value', async (_what, name, value) => {
  const { token } = await iam.newUser()
  const reply = await put(token, name, value)
  expect(reply.status).toBe(422)
  expect(JSON.stringify(reply.body).length).toBeLessThan(1000)
})

test('a list of many comes in pages, by name', async () => {
  const { token } = await iam.newUser()
  for (const name of ['b', 'C', 'a', '_x', 'B']) await put(token, name, 'v')
  const names: string[] = []
  let cursor = ''
  for (;;) {
    const { body } = await list(token, `?limit=2${cursor}`)
    names.push(...body.items.map((secret: { name: string }) => secret.name))
    if (body.nextCursor === null) break
    cursor = `&cursor=${body.nextCursor}`
  }
  expect(names).toEqual(['B', 'C', '_x', 'a', 'b'])
  expect((await list(token, '?cursor=nonsense')).status).toBe(422)
})
