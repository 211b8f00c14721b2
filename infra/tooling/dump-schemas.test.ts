import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AUDIT_SCHEMA } from '@millrace/events'
import { createPool, migrate, type Pool } from '@millrace/postgres'
import { testDatabase } from '@millrace/testkit'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

interface Source {
  readonly schema: string
  readonly migrations: string
  readonly dump: string
}

const sources: Record<string, Source> = {
  ...Object.fromEntries(
    readdirSync(join(root, 'services'))
      .filter((name) => existsSync(join(root, 'services', name, 'migrations')))
      .map((name) => [name, sourceOf(`services/${name}`, name)]),
  ),
  'the log of events': sourceOf('pkg/events', 'events'),
  'the audit log': {
    schema: AUDIT_SCHEMA,
    migrations: join(root, 'pkg/events/audit-migrations'),
    dump: join(root, 'pkg/events/audit-schema.sql'),
  },
  'the job store': sourceOf('pkg/job-store', 'metadata'),
}

function sourceOf(folder: string, schema: string): Source {
  return { schema, migrations: join(root, folder, 'migrations'), dump: join(root, folder, 'schema.sql') }
}

/** Read from the catalog: pg_dump is not among the embedded PostgreSQL's binaries. */
const dump = `
select format('create table %I (%s);', c.relname, (
  select string_agg(format(E'\\n  %s %s%s%s', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
    case when a.attnotnull then ' not null' else '' end,
    case when a.attidentity <> '' then ' generated always as identity'
      when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end), ',' order by a.attname)
  from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) || E'\\n') as line, 1 as part, c.relname as name
from pg_class c where c.relnamespace = $1::text::regnamespace and c.relkind in ('r', 'p')
union all
select format('alter table %I add %s;', r.relname, pg_get_constraintdef(k.oid)), 2, r.relname || ' ' || k.conname
from pg_constraint k join pg_class r on r.oid = k.conrelid
where k.connamespace = $1::text::regnamespace and k.contype <> 'n'
union all
select indexdef || ';', 3, indexname from pg_indexes i where schemaname = $1::text
  and not exists (select 1 from pg_constraint k where k.conname = i.indexname and k.connamespace = $1::text::regnamespace)
union all
select pg_get_functiondef(p.oid) || ';', 4, p.proname from pg_proc p where p.pronamespace = $1::text::regnamespace
order by part, name`

async function schemaOf(pool: Pool, { schema, migrations }: Source): Promise<string> {
  await migrate(pool, { schema, directory: migrations })
  const { rows } = await pool.query<{ line: string }>(dump, [schema])
  const text = rows.map(({ line }) => line.replaceAll(`${schema}.`, '')).join('\n')
  return `-- What the migrations make; written by UPDATE_SCHEMAS=1 npx vitest run infra/tooling/dump-schemas.test.ts\n${text}\n`
}

test.each(Object.entries(sources))('the dump of %s is what its migrations make', async (_, source) => {
  const database = await testDatabase()
  const pool = createPool({ connectionString: database.url, schema: source.schema, max: 2 })
  try {
    const made = await schemaOf(pool, source)
    if (process.env.UPDATE_SCHEMAS) writeFileSync(source.dump, made)
    expect(made.split('\n')).toEqual(readFileSync(source.dump, 'utf8').split('\n'))
  } finally {
    await pool.end()
    await database.drop()
  }
})

test('every folder of migrations has a dump', () => {
  const known = new Set(Object.values(sources).map(({ migrations }) => migrations))
  const folders = ['pkg', 'services'].flatMap((parent) =>
    readdirSync(join(root, parent)).flatMap((name) =>
      readdirSync(join(root, parent, name))
        .filter((inner) => inner.endsWith('migrations'))
        .map((inner) => join(root, parent, name, inner)),
    ),
  )
  expect(folders.filter((folder) => !known.has(folder))).toEqual([])
})
