import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import pg from 'pg'
import { assertSchemaName, type Queryable } from './pool.js'

export interface ServiceRole {
  name: string
  password: string
  /** Owned by the role, made when missing; whatever an earlier owner left in it goes to the role too. */
  schema?: string
}

/** What others own and a role may still use. */
export interface SharedSchema {
  schema: string
  /** Tables that may only be read. */
  readOnly: readonly string[]
}

export interface ServiceRolesOptions {
  /** Of an account that may create roles. */
  adminUrl: string
  roles: readonly ServiceRole[]
  shared: SharedSchema
  /** A table of the administrator's that one role reads and appends to. */
  appendOnly?: { schema: string; table: string; role: string }
}

/** Whether the account of a URL may make roles for the services. */
export async function mayCreateRoles(url: string): Promise<boolean> {
  return await withClient(url, async (client) => {
    const { rows } = await client.query<{ may: boolean }>(
      'select rolsuper or rolcreaterole as may from pg_roles where rolname = current_user',
    )
    return rows[0]?.may ?? false
  })
}

/**
 * Makes roles that may log in and nothing else, each the owner of one schema without a way into another. In one
 * transaction, and the same however often it is run: a schema from before there were roles changes its owner.
 */
export async function prepareServiceRoles(options: ServiceRolesOptions): Promise<void> {
  await withClient(options.adminUrl, async (client) => {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtext('millrace.service-roles'))`)
    // An account that is no superuser may hand schemas only to roles that it is itself a member of.
    await client.query(`set local createrole_self_grant = 'set, inherit'`)
    for (const role of options.roles) {
      await makeRole(client, role)
      if (role.schema !== undefined) await ownSchema(client, role.name, role.schema)
    }
    for (const { name } of options.roles) await share(client, name, options.shared)
    if (options.appendOnly) await allowAppending(client, options.appendOnly)
    await client.query('commit')
  })
}

async function makeRole(client: Queryable, { name, password }: ServiceRole): Promise<void> {
  const role = pg.escapeIdentifier(name)
  const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [name])
  if (!rowCount) await client.query(`create role ${role}`)
  // Rights that are not named are not given; to name one, even to deny it, takes an account that has it.
  await client.query(`alter role ${role} with login password ${pg.escapeLiteral(scramVerifier(password))}`)
}

async function ownSchema(client: Queryable, roleName: string, schemaName: string): Promise<void> {
  const schema = assertSchemaName(schemaName)
  const role = pg.escapeIdentifier(roleName)
  const { rows } = await client.query<{ owner: string }>(
    'select nspowner::regrole::text as owner from pg_namespace where nspname = $1',
    [schema],
  )
  if (rows[0] === undefined) await client.query(`create schema ${schema} authorization ${role}`)
  else if (rows[0].owner !== role && rows[0].owner !== roleName) await takeSchema(client, role, schema)
}

/** A new owner needs the right to create schemas at that moment, and only then. */
async function takeSchema(client: Queryable, role: string, schema: string): Promise<void> {
  const { rows } = await client.query<{ database: string }>('select quote_ident(current_database()) as database')
  await client.query(`grant create on database ${rows[0]?.database} to ${role}`)
  await client.query(`alter schema ${schema} owner to ${role}`)
  await client.query(`revoke create on database ${rows[0]?.database} from ${role}`)
  for (const statement of await ownerChanges(client, role, schema)) await client.query(statement)
}

/** Sequences and indexes of a table follow their table. */
async function ownerChanges(client: Queryable, role: string, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ kind: string; object: string }>(
    `select case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end as kind,
       format('%I.%I', $1::text, relname) as object
     from pg_class c where relnamespace = $1::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
       and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass
         and d.deptype in ('a', 'i') and relkind = 'S')
     union all
     select case prokind when 'p' then 'procedure' else 'function' end, oid::regprocedure::text
     from pg_proc where pronamespace = $1::regnamespace
     union all
     select 'type', format('%I.%I', $1::text, typname) from pg_type t
     where typnamespace = $1::regnamespace and typtype in ('e', 'd')`,
    [schema],
  )
  return rows.map(({ kind, object }) => `alter ${kind} ${object} owner to ${role}`)
}

async function share(client: Queryable, roleName: string, { schema, readOnly }: SharedSchema): Promise<void> {
  const role = pg.escapeIdentifier(roleName)
  const name = assertSchemaName(schema)
  await client.query(`grant usage on schema ${name} to ${role}`)
  await client.query(`grant select, insert, update, delete on all tables in schema ${name} to ${role}`)
  await client.query(`grant select on all sequences in schema ${name} to ${role}`)
  for (const table of readOnly) {
    await client.query(`revoke insert, update, delete on ${name}.${pg.escapeIdentifier(table)} from ${role}`)
  }
}

async function allowAppending(
  client: Queryable,
  { schema: schemaName, table: tableName, role: roleName }: NonNullable<ServiceRolesOptions['appendOnly']>,
): Promise<void> {
  const role = pg.escapeIdentifier(roleName)
  const schema = assertSchemaName(schemaName)
  const table = `${schema}.${pg.escapeIdentifier(tableName)}`
  await client.query(`revoke all on schema ${schema} from ${role}`)
  await client.query(`revoke all on ${table} from ${role}`)
  await client.query(`grant usage on schema ${schema} to ${role}`)
  await client.query(`grant select, insert on ${table} to ${role}`)
}

/** What the server keeps (RFC 5803): the password itself never travels, nor stands in a log of statements. */
function scramVerifier(password: string): string {
  const iterations = 4096
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await use(client)
  } finally {
    // Ends a transaction that failed half-way.
    await client.end().catch(() => undefined)
  }
}
