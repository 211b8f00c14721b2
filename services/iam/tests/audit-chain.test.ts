import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { recordAudit } from '@millrace/events'
import { testDatabase, waitFor } from '@millrace/testkit'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Iam, startIam } from './support.js'

const main = fileURLToPath(new URL('../dist/verify-audit-main.js', import.meta.url))

/** An iam of its own: no other test's entry may come while the log is taken apart. */
let iam: Iam
beforeAll(async () => {
  iam = await startIam()
})
afterAll(() => iam.stop())

test('the audit log cannot be changed, and shows when somebody did it all the same', async () => {
  const { token } = await iam.newUser()
  const verify = async () => (await iam.api('GET', '/api/v1/audit/verify', { token })).body
  await waitFor(async () => (await iam.api('GET', '/api/v1/audit', { token })).body.items.length >= 2)
  expect(await verify()).toMatchObject({ intact: true, upTo: expect.any(String) })
  const change = `update audit set actor = 'user:nobody' where seq = 2`
  await expect(iam.pool.query(change)).rejects.toThrow('append-only')
  await expect(iam.pool.query('delete from audit where seq = 2')).rejects.toThrow('append-only')
  await expect(iam.pool.query('truncate audit')).rejects.toThrow('append-only')
  /** As whoever owns the table can. */
  const tampered = async (statement: string) => {
    await iam.pool.query(
      `alter table audit disable trigger audit_append_only; create table kept as table audit; ${statement}`,
    )
    const found = await waitFor(async () => {
      const result = await verify()
      return result.intact ? undefined : result
    })
    await iam.pool.query(
      `delete from audit; insert into audit select * from kept; drop table kept;
       alter table audit enable trigger audit_append_only`,
    )
    await waitFor(async () => (await verify()).intact)
    return found
  }
  const { rows } = await iam.pool.query('select id from audit where seq = 1')
  expect(await tampered(change)).toMatchObject({ intact: false, upTo: rows[0].id })
  expect(await tampered('delete from audit where seq = 2')).toMatchObject({ intact: false, upTo: rows[0].id })
  expect(await tampered('delete from audit where seq = (select max(seq) from audit)')).toMatchObject({
    intact: false,
  })
  const swap = `update audit set seq = -1 where seq = 1; update audit set seq = 1 where seq = 2; update audit set seq = 2 where seq = -1`
  expect(await tampered(swap)).toMatchObject({ intact: false, upTo: null })
  await waitFor(async () => (await verify()).intact)
})

test('entries that an iam of a release before put aside are brought in, once, and its group is gone', async () => {
  const database = await testDatabase()
  const settings = { masterKey: randomBytes(32) }
  const first = await startIam(settings, database)
  const { token, project } = await first.newUser()
  const entries = async (iam: Iam, id: string): Promise<unknown[]> =>
    (await iam.api('GET', `/api/v1/audit?target=${id}`, { token })).body.items
  await waitFor(async () => (await first.pool.query('select 1 from audit')).rows.length > 0)
  await first.stop(false)
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  const what = { action: 'workflow.updated', target: 'workflow:put-aside', ip: '', requestId: '' }
  await recordAudit(pool, 'workflow', { projectId: project.id, actor: 'user:1', ...what })
  // As it is when only an iam of that release has run: it has read the event, tried three times and gone on.
  await pool.query(`delete from iam.schema_migrations where version = 31;
    delete from events.groups where name like 'iam.audit%';
    insert into events.groups (name, position) select 'iam.audit', max(id) from events.log`)
  const second = await startIam(settings, database)
  await waitFor(async () => (await entries(second, 'put-aside')).length > 0)
  expect(await entries(second, 'put-aside')).toHaveLength(1)
  expect((await second.api('GET', '/api/v1/audit/verify', { token })).body).toMatchObject({ intact: true })
  const { rows } = await pool.query(`select name from events.groups where name like 'iam.audit%'`)
  expect(rows).toEqual([{ name: 'iam.audit-log' }])
  await pool.end()
  await second.stop()
})

/** Without the service. */
function command(masterKey: Buffer): { status: number | null; said: string } {
  const { status, stdout } = spawnSync(process.execPath, [main], {
    env: { ...process.env, DATABASE_URL: iam.database.url, MILLRACE_MASTER_KEY: masterKey.toString('base64') },
    encoding: 'utf8',
  })
  return { status, said: stdout }
}

test('a command reads the log through, and ends with 1 where somebody changed it', async () => {
  const { status, said } = command(iam.config.masterKey)
  expect([status, JSON.parse(said)]).toMatchObject([0, { intact: true }])
  expect(command(randomBytes(32)).status).not.toBe(0)
  await iam.pool.query(
    `alter table audit disable trigger audit_append_only; update audit set actor = 'user:nobody' where seq = 2`,
  )
  const changed = command(iam.config.masterKey)
  expect([changed.status, JSON.parse(changed.said)]).toMatchObject([1, { intact: false, entries: 1 }])
})
