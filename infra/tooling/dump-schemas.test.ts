import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPool, migrate, type Pool } from '@millrace/postgres'
import { testDatabase } from '@millrace/testkit'
import { expect, test } from 'vitest'

const services = join(import.meta.dirname, '../../services')
const withMigrations = readdirSync(services).filter((name) => existsSync(join(services, name, 'migrations')))

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

async function schemaOf(pool: Pool, service: string): Promise<string> {
  await migrate(pool, { schema: service, directory: join(services, service, 'migrations') })
  const { rows } = await pool.query<{ line: string }>(dump, [service])
  const text = rows.map(({ line }) => line.replaceAll(`${service}.`, '')).join('\n')
  return `-- What the migrations make; written by UPDATE_SCHEMAS=1 npx vitest run infra/tooling/dump-schemas.test.ts\n${text}\n`
}

test.each(withMigrations)('schema.sql of %s is what its migrations make', async (service) => {
  const database = await testDatabase()
  const pool = createPool({ connectionString: database.url, schema: service, max: 2 })
  try {
    const made = await schemaOf(pool, service)
    const file = join(services, service, 'migrations', '..', 'schema.sql')
    if (process.env.UPDATE_SCHEMAS) writeFileSync(file, made)
    expect(made.split('\n')).toEqual(readFileSync(file, 'utf8').split('\n'))
  } finally {
    await pool.end()
  }
})
