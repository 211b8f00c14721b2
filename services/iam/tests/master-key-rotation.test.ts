import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type TestDatabase, testDatabase, testServiceEnv, waitFor } from '@millrace/testkit'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { MasterKeyError } from '../src/index.js'
import { SecretVault } from '../src/security/secret-vault.js'
import { type Iam, startIam } from './support.js'

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const [before, present] = [randomBytes(32), randomBytes(32)]
/** More than two pages. */
const SECRETS = 230

let database: TestDatabase
let folder = ''
let projectId = ''
const old: { secrets: Map<string, string>; token: string; email: string } = { secrets: new Map(), token: '', email: '' }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-master-key-'))
  database = await testDatabase()
  const iam = await startIam({ masterKey: before }, database)
  const user = await iam.newUser()
  const names = Array.from({ length: SECRETS }, (_, i) => `secret_${i}`)
  for (const name of names) {
    const stored = await iam.api('PUT', `/api/v1/secrets/${name}`, { token: user.token, body: { value: `of ${name}` } })
    expect(stored.status).toBeLessThan(300)
    old.secrets.set(name, `of ${name}`)
  }
  Object.assign(old, { token: user.token, email: user.email })
  projectId = (await iam.pool.query('select project_id from secrets limit 1')).rows[0].project_id
  await iam.stop(false)
}, 60_000)
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await database.drop()
})

/** How many data keys the present master key opens by itself. */
async function moved(): Promise<number> {
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  const { rows } = await pool.query('select project_id, name, wrapped_key from iam.secrets')
  await pool.end()
  const vault = new SecretVault([present])
  return rows.filter(({ project_id, name, wrapped_key }) => {
    try {
      return vault.rewrap({ projectId: project_id, name }, wrapped_key) === undefined
    } catch {
      return false
    }
  }).length
}

async function expectAllReadable(iam: Iam): Promise<void> {
  const names = [...old.secrets.keys()]
  const { secrets } = await iam.iam.getSecrets({ projectId, names })
  expect(new Map(secrets.map(({ name, value }) => [name, value]))).toEqual(old.secrets)
}

/** The real process, so that it can be killed. */
function spawnIam(): ChildProcess {
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      MILLRACE_SERVICE_HTTP_PORT: '0',
      MILLRACE_SERVICE_GRPC_PORT: '0',
      ...testServiceEnv('iam'),
      MILLRACE_MASTER_KEY: present.toString('base64'),
      MILLRACE_MASTER_KEY_PREVIOUS: before.toString('hex'),
      MILLRACE_MAIL_DIR: folder,
      MILLRACE_LOG_LEVEL: 'error',
      MILLRACE_CRASH_FILE: join(folder, 'order'),
    },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test('a process killed in the middle leaves every secret readable, and the next one goes on', {
  timeout: 90_000,
}, async () => {
  writeFileSync(join(folder, 'order'), 'iam.rewrap.page 2')
  const child = spawnIam()
  expect((await once(child, 'exit'))[1]).toBe('SIGKILL')
  expect(await moved()).toBe(200)
  const iam = await startIam({ masterKey: present, previousMasterKey: before }, database)
  await expectAllReadable(iam)
  expect((await iam.api('GET', '/api/v1/auth/me', { token: old.token })).status).toBe(200)
  await waitFor(async () => (await moved()) === SECRETS, { timeoutMs: 30_000 })
  const { token } = await iam.login(old.email)
  const done = await waitFor(
    async () => {
      const { rows } = await iam.pool.query(`select target from audit where action = 'master_key.rewrapped'`)
      return rows[0]?.target as string | undefined
    },
    { timeoutMs: 30_000 },
  )
  // The process that was killed had the signing key and two pages.
  expect(done).toBe(`signing_keys:0 secrets:${SECRETS - 200} audit_chain_keys:1`)
  expect((await iam.api('GET', '/api/v1/audit/verify', { token })).body).toMatchObject({ intact: true })
  await iam.stop(false)
})

test('afterwards the key before opens nothing, and the present one all', { timeout: 90_000 }, async () => {
  const rotating = await startIam({ masterKey: present, previousMasterKey: before }, database)
  await waitFor(
    async () => {
      const { rows } = await rotating.pool.query(
        `select 1 from audit where action = 'master_key.rewrapped' and target like 'signing_keys:0 secrets:0 audit_chain_keys:0'`,
      )
      return rows.length > 0
    },
    { timeoutMs: 30_000 },
  )
  await rotating.stop(false)
  await expect(startIam({ masterKey: before }, database)).rejects.toThrow(MasterKeyError)
  const iam = await startIam({ masterKey: present }, database)
  await expectAllReadable(iam)
  const { token } = await iam.login(old.email)
  const verified = await iam.api('GET', '/api/v1/audit/verify', { token })
  expect(verified.body).toMatchObject({ intact: true })
  expect(verified.body.entries).toBeGreaterThan(SECRETS)
  const { rows } = await iam.pool.query('select from_seq from audit_chain_keys')
  expect(rows.length).toBeGreaterThan(1)
  await iam.stop(false)
})
