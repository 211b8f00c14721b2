import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { assertSchemaName, type Pool, type Tx } from './pool.js'

export interface MigrateOptions {
  schema: string
  directory: string | URL
}

interface Migration {
  version: number
  name: string
  sql: string
  checksum: string
}

interface AppliedMigration {
  version: number
  name: string
  checksum: string
}

export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

const fileNamePattern = /^(\d{6})-[a-z0-9-]+\.sql$/

/**
 * Forward only. Every process may call this at start: one applies, the others wait for it.
 * Migrations that the database has beyond the newest one here are left alone, so that an older replica can still
 * restart while a newer release rolls out.
 */
export async function migrate(pool: Pool, options: MigrateOptions): Promise<void> {
  const schema = assertSchemaName(options.schema)
  const migrations = await readMigrations(options.directory)
  const client = await pool.connect()
  try {
    // A migration may rightly take longer than a request's transaction. The connection is discarded afterwards.
    await client.query('set transaction_timeout = 0; set statement_timeout = 0')
    await lock(client, schema)
    await prepareSchema(client, schema)
    const applied = await client.query<AppliedMigration>(
      'select version, name, checksum from schema_migrations order by version',
    )
    for (const migration of pendingMigrations(schema, migrations, applied.rows)) await apply(client, schema, migration)
  } finally {
    client.release(true)
  }
}

/** `if not exists` asks for the right to create even where there is nothing to create; a service may not have it. */
async function prepareSchema(client: Tx, schema: string): Promise<void> {
  const { rows } = await client.query<{ schema: boolean; table: boolean }>(
    `select to_regnamespace($1) is not null as schema, to_regclass($1 || '.schema_migrations') is not null as table`,
    [schema],
  )
  if (!rows[0]?.schema) await client.query(`create schema ${schema}`)
  await client.query(`set search_path = ${schema}`)
  if (rows[0]?.table) return
  await client.query(`create table schema_migrations (
    version int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now()
  )`)
}

/** Polled: a session blocked in pg_advisory_lock holds a snapshot, and that holds back every log reader. */
async function lock(client: Tx, schema: string): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>(
      `select pg_try_advisory_lock(hashtext('millrace.migrate'), hashtext($1)) as locked`,
      [schema],
    )
    if (rows[0]?.locked) return
    await delay(50)
  }
}

async function readMigrations(directory: string | URL): Promise<Migration[]> {
  const path = typeof directory === 'string' ? directory : fileURLToPath(directory)
  const names = (await readdir(path)).filter((name) => name.endsWith('.sql')).sort()
  const migrations = await Promise.all(names.map((name) => readMigration(path, name)))
  for (const [i, migration] of migrations.entries()) {
    if (migration.version === migrations[i - 1]?.version) {
      throw new MigrationError(`two migrations have the number ${migration.version}: rename ${migration.name}`)
    }
  }
  return migrations
}

async function readMigration(path: string, name: string): Promise<Migration> {
  const match = fileNamePattern.exec(name)
  if (match === null) throw new MigrationError(`${name}: a migration is named like 000001-init.sql`)
  const sql = (await readFile(join(path, name), 'utf8')).replaceAll('\r\n', '\n')
  return { version: Number(match[1]), name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
}

function pendingMigrations(schema: string, migrations: Migration[], applied: AppliedMigration[]): Migration[] {
  const byVersion = new Map(migrations.map((migration) => [migration.version, migration]))
  const newestKnown = migrations.at(-1)?.version ?? 0
  for (const row of applied) {
    const migration = byVersion.get(row.version)
    if (migration === undefined && row.version > newestKnown) continue
    if (migration === undefined) throw new MigrationError(`${schema}: applied migration ${row.name} is missing`)
    if (migration.checksum !== row.checksum) {
      throw new MigrationError(
        `${schema}: migration ${migration.name} was edited after it was applied; restore it and add a new one`,
      )
    }
  }
  const newestApplied = applied.at(-1)?.version ?? 0
  const done = new Set(applied.map((row) => row.version))
  const pending = migrations.filter((migration) => !done.has(migration.version))
  const late = pending.find((migration) => migration.version < newestApplied)
  if (late !== undefined) {
    throw new MigrationError(
      `${schema}: ${late.name} comes before a migration already applied; give it a higher number`,
    )
  }
  return pending
}

async function apply(client: Tx, schema: string, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(migration.sql)
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      migration.version,
      migration.name,
      migration.checksum,
    ])
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback').catch(() => undefined)
    const detail = cause instanceof Error ? cause.message : String(cause)
    throw new MigrationError(`${schema}: migration ${migration.name} failed: ${detail}`, { cause })
  }
}
