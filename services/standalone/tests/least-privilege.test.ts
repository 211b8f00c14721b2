import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePlace, type Place, processesOf, Standalone } from './standalone-process.js'

const secrets = {
  MILLRACE_MASTER_KEY: randomBytes(32).toString('base64'),
  MILLRACE_ADMIN_PASSWORD: 'an-admin-password-of-the-test',
  MILLRACE_SMTP_URL: 'smtp://user:a-mail-password@127.0.0.1:1',
  AWS_SECRET_ACCESS_KEY: 'a-secret-of-a-cloud-account',
  GITHUB_TOKEN: 'a-token-of-the-person-who-started-it',
}
const schemas = ['iam', 'workflow', 'scheduler', 'metadata', 'notification', 'artifact']

let place: Place
let instance: Standalone
let superuser: pg.Client

beforeAll(async () => {
  place = await makePlace()
  instance = await new Standalone(place, { ...secrets, MILLRACE_WORKER_CONCURRENCY: '7' }).ready()
  const folder = join(place.dataDir, 'postgres')
  const port = readFileSync(join(folder, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[3]
  const password = readFileSync(join(folder, 'password'), 'utf8').trim()
  superuser = new pg.Client({ connectionString: `postgresql://millrace:${password}@127.0.0.1:${port}/millrace` })
  await superuser.connect()
})

afterAll(async () => {
  await superuser?.end()
  instance?.kill('SIGTERM')
  await instance?.exitCode()
  await place?.remove()
})

const children = () =>
  processesOf(place.dataDir).flatMap(({ pid, command }) => {
    const kind = /dist\/(edge|core|records|worker)\.js/.exec(command)?.[1]
    return kind === undefined ? [] : [{ kind, environ: readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0') }]
  })

describe('the environment of a process', () => {
  test('has what it needs and none of the platform’s secrets', () => {
    expect(
      children()
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(['core', 'edge', 'records', 'worker'])
    for (const { kind, environ } of children()) {
      expect([kind, environ.includes('MILLRACE_WORKER_CONCURRENCY=7')]).toEqual([kind, true])
      const names = environ.map((entry) => entry.split('=')[0] ?? '')
      const found = names.filter((name) => name in secrets || /DATABASE_URL|SERVICE_KEY|SECRET|PASSWORD/.test(name))
      // The SDK of the object store looks for its credentials in the process itself.
      expect([kind, found]).toEqual([kind, kind === 'edge' ? ['AWS_SECRET_ACCESS_KEY'] : []])
    }
  })
})

describe('the database role of a service', () => {
  test('is its own for every connection, and no superuser', async () => {
    const { rows } = await superuser.query<{ usename: string; rolsuper: boolean }>(
      `select distinct usename, rolsuper from pg_stat_activity join pg_roles on rolname = usename
       where backend_type = 'client backend' and pid <> pg_backend_pid() order by usename`,
    )
    const roles = [...schemas, 'events'].map((name) => `millrace_${name}`).sort()
    expect(rows).toEqual(roles.map((usename) => ({ usename, rolsuper: false })))
  })

  test('of iam reads and appends to the audit log, and does nothing else to it', async () => {
    const audit = 'audit_log.audit'
    const { rows } = await superuser.query<{ right: string; has: boolean }>(
      `select p as right, has_table_privilege('millrace_iam', $1, p) as has
       from unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'trigger']) p`,
      [audit],
    )
    expect(rows.filter(({ has }) => has).map(({ right }) => right)).toEqual(['select', 'insert'])
    await superuser.query('begin; set local role millrace_iam; set local search_path = iam, audit_log')
    for (const [statement, refusal] of [
      [`update audit set actor = 'user:nobody'`, 'permission denied'],
      ['delete from audit', 'permission denied'],
      ['truncate audit', 'permission denied'],
      ['alter table audit disable trigger all', 'must be owner'],
      ['drop table audit_log.audit', 'must be owner'],
      ['drop schema audit_log cascade', 'must be owner'],
      [
        `create or replace function audit_log.refuse_audit_change() returns trigger language plpgsql as 'begin return null; end'`,
        'permission denied',
      ],
    ] as const) {
      await superuser.query('savepoint s')
      await expect(superuser.query(statement), statement).rejects.toThrow(refusal)
      await superuser.query('rollback to s')
    }
    const { rows: own } = await superuser.query('select count(*)::int as n, to_regclass($1) as old from audit', [
      'iam.audit',
    ])
    await superuser.query('rollback')
    expect(own[0]).toMatchObject({ n: expect.any(Number), old: null })
    expect(own[0].n).toBeGreaterThan(0)
  })

  test('the command that verifies the audit log finds its way in by itself', () => {
    const script = join(import.meta.dirname, '../../../infra/tooling/audit-verify.mjs')
    const { status, stdout } = spawnSync(process.execPath, [script], {
      env: { ...process.env, MILLRACE_DATA_DIR: place.dataDir, MILLRACE_MASTER_KEY: secrets.MILLRACE_MASTER_KEY },
      encoding: 'utf8',
    })
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { intact: true }])
  })

  test.each(schemas)('%s reaches no other service’s tables', async (own) => {
    const { rows } = await superuser.query<{ schema: string; reached: boolean }>(
      `select nspname as schema, bool_or(has_table_privilege($1, c.oid, 'select, insert, update, delete')
           and has_schema_privilege($1, n.oid, 'usage')) as reached
       from pg_namespace n join pg_class c on relnamespace = n.oid and relkind in ('r', 'p')
       where nspname = any($2) group by nspname order by nspname`,
      [`millrace_${own}`, [...schemas, 'events']],
    )
    const reached = rows.filter((row) => row.reached).map(({ schema }) => schema)
    expect(reached).toEqual([own, 'events'].sort())
  })

  test('is refused another’s rows, the log’s structure and the server’s files', async () => {
    for (const statement of [
      'select count(*) from iam.secrets',
      'select count(*) from iam.users',
      'select count(*) from scheduler.runs',
      'alter table events.log add column mine text',
      'drop schema iam cascade',
      `select pg_read_file('PG_VERSION')`,
    ]) {
      await superuser.query('begin; set local role millrace_workflow')
      await expect(superuser.query(statement)).rejects.toMatchObject({ code: '42501' })
      await superuser.query('rollback')
    }
  })
})
