import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { accountFor } from './account.js'
import { type Binaries, findBinaries, unreachable } from './binaries.js'
import { EmbeddedPostgresError } from './embedded-postgres-error.js'
import { initialise, readPassword, superuser } from './initialise.js'
import { launch } from './launch.js'
import { chooseCluster, findCluster, type Location } from './location.js'
import { isAlive, isProcessOf, readPostmasterFile } from './postmaster-file.js'
import { serverArguments } from './settings.js'
import { stopPostmaster } from './stop.js'
import { type Account, firstClosedFolder } from './traverse.js'

export interface StartPostgresOptions {
  dataDir: string
  /** 0 or absent: any free port of loopback. */
  port?: number
  logFile?: string
  /** postgresql.conf names, above the defaults. */
  settings?: Record<string, string>
  /** Recovery after a crash is part of the start. */
  startTimeoutMs?: number
}

export interface RunningPostgres {
  /** Superuser on database `millrace`. */
  url: string
  port: number
  pid: number
  adopted: boolean
  /** PGDATA; outside the data dir when the account of PostgreSQL cannot reach that. */
  cluster: string
  isAlive(): boolean
  stop(): Promise<void>
}

const database = 'millrace'

/** Starts the PostgreSQL of a data dir, or adopts it when it still runs. The caller makes sure it is the only one. */
export async function startPostgres(options: StartPostgresOptions): Promise<RunningPostgres> {
  const found = await findCluster(options.dataDir)
  const account = await accountFor(found?.cluster)
  const location = found ?? (await chooseCluster(options.dataDir, account))
  const args = serverArguments(options.settings ?? {})
  const adopted = await adopt(location, options, args)
  const server = adopted ?? (await startNew(location, found !== undefined, account, options, args))
  try {
    await makeDatabase(server.port, location)
  } catch (error) {
    await stopPostmaster(server.pid)
    throw error
  }
  return {
    ...server,
    url: urlOf(server.port, await readPassword(location.home), database),
    adopted: adopted !== undefined,
    cluster: location.cluster,
    isAlive: () => isAlive(server.pid),
    stop: () => stopPostmaster(server.pid),
  }
}

async function startNew(
  location: Location,
  exists: boolean,
  account: Account | undefined,
  options: StartPostgresOptions,
  args: string[],
): Promise<{ pid: number; port: number }> {
  const binaries = await findBinaries(account)
  if (!exists) await initialise(location, binaries, account, options.settings?.fsync !== 'off')
  await checkCluster(location, binaries, account)
  const server = await launch({
    executable: binaries.postgres,
    cluster: location.cluster,
    account,
    port: options.port ?? 0,
    args,
    logFile: resolve(options.logFile ?? join(location.home, 'postgres.log')),
    startTimeoutMs: options.startTimeoutMs ?? 60_000,
  })
  await writeFile(argumentsFile(location), JSON.stringify(args), { mode: 0o600 })
  return server
}

const argumentsFile = (location: Location): string => join(location.home, 'server-arguments.json')

async function checkCluster(location: Location, binaries: Binaries, account: Account | undefined): Promise<void> {
  if (firstClosedFolder(location.cluster, account)) {
    throw new EmbeddedPostgresError(unreachable(location.cluster, account as Account))
  }
  const major = (await readFile(join(location.cluster, 'PG_VERSION'), 'utf8')).trim()
  if (major === binaries.major) return
  throw new EmbeddedPostgresError(
    `${location.cluster} was made by PostgreSQL ${major}, and this is ${binaries.major}. Dump it with the old version and restore it, or choose another MILLRACE_DATA_DIR.`,
  )
}

/** A live postmaster on other settings or another port than asked for is stopped, so that a start always means the same. */
async function adopt(
  location: Location,
  options: StartPostgresOptions,
  args: string[],
): Promise<{ pid: number; port: number } | undefined> {
  const deadline = Date.now() + (options.startTimeoutMs ?? 60_000)
  for (;;) {
    const file = readPostmasterFile(location.cluster)
    if (!file || !isProcessOf(file.pid, location.cluster)) return undefined
    const before = await readFile(argumentsFile(location), 'utf8').catch(() => '')
    const unwanted = before !== JSON.stringify(args) || (options.port ? options.port !== file.port : false)
    if (unwanted || Date.now() > deadline) await stopPostmaster(file.pid)
    else if (file.ready && (await answers(file.port, location))) return { pid: file.pid, port: file.port }
    await sleep(50)
  }
}

async function answers(port: number, location: Location): Promise<boolean> {
  try {
    await withClient(port, location, 'postgres', (client) => client.query('select 1'))
    return true
  } catch {
    return false
  }
}

async function makeDatabase(port: number, location: Location): Promise<void> {
  await withClient(port, location, 'postgres', async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [database])
    if (!rowCount) await client.query(`create database ${database}`)
  })
}

async function withClient<T>(
  port: number,
  location: Location,
  name: string,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const password = await readPassword(location.home)
  const client = new pg.Client({ connectionString: urlOf(port, password, name), connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

const urlOf = (port: number, password: string, name: string): string =>
  `postgresql://${superuser}:${password}@127.0.0.1:${port}/${name}`
