import pg from 'pg'
import { StartupError } from './startup-error.js'

// transaction_timeout, which bounds every pool, came with 17.
const oldestVersion = 170_000

interface Facts {
  version: number
  standby: boolean
  maycreate: boolean
  database: string
  account: string
}

/** Connects once and checks what the services will need, so that a wrong DATABASE_URL is one clear sentence. */
export async function verifyDatabase(databaseUrl: string): Promise<void> {
  const facts = await readFacts(databaseUrl)
  if (facts.version < oldestVersion) {
    const found = Math.floor(facts.version / 10_000)
    throw new StartupError(`DATABASE_URL: PostgreSQL ${found} is too old, 17 or later is needed.`)
  }
  if (facts.standby) {
    throw new StartupError('DATABASE_URL: that server is a read-only standby. Point it to the primary.')
  }
  if (!facts.maycreate) {
    throw new StartupError(
      `DATABASE_URL: the account ${facts.account} may not create schemas in the database ${facts.database}. Run: grant create on database "${facts.database}" to "${facts.account}"`,
    )
  }
}

async function readFacts(databaseUrl: string): Promise<Facts> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<Facts>(`
      select current_setting('server_version_num')::int as version, pg_is_in_recovery() as standby,
        has_database_privilege(current_database(), 'create') as maycreate,
        current_database() as database, current_user as account`)
    return rows[0] as Facts
  } catch (error) {
    throw new StartupError(explain(error as NodeJS.ErrnoException, databaseUrl), { cause: error })
  } finally {
    await client.end().catch(() => undefined)
  }
}

function explain(error: NodeJS.ErrnoException, databaseUrl: string): string {
  const where = new URL(databaseUrl).host
  const remedy = 'Correct DATABASE_URL, or unset it to use the embedded PostgreSQL.'
  switch (error.code) {
    case 'ECONNREFUSED':
      return `DATABASE_URL: nothing answers at ${where}. Start that server. ${remedy}`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `DATABASE_URL: the host of ${where} is unknown. ${remedy}`
    case '28P01':
    case '28000':
      return `DATABASE_URL: ${where} refused the account or its password. ${remedy}`
    case '3D000':
      return `DATABASE_URL: ${error.message}. Create it (createdb), or name another. ${remedy}`
    default:
      return `DATABASE_URL: no connection to ${where}: ${error.message || error.code}. ${remedy}`
  }
}
