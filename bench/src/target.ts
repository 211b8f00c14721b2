import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@millrace/embedded-postgres'
import pg from 'pg'
import { Pool } from 'undici'
import { Api } from './api.js'
import { statementSettings } from './statements.js'

const email = 'admin@millrace.local'
const password = 'correct-horse-battery-staple'

export interface Target {
  api: Api
  database: pg.Client
  /** The Node that runs the services. */
  runtime: string
  /** The processes whose descendants are the deployment. */
  roots: number[]
  stop(): Promise<void>
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Standalone as `make run` starts it, on a PostgreSQL of its own with fsync and synchronous_commit on. */
export async function startTarget(options: {
  countStatements: boolean
  env?: Record<string, string>
  /** Of an earlier target, and left behind; a new one that is removed unless given. */
  folder?: string
}): Promise<Target> {
  const folder = options.folder ?? newFolder()
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    ...(options.countStatements ? { settings: statementSettings } : {}),
  })
  const [port, grpcPort] = [await freePort(), await freePort()]
  const main = join(import.meta.dirname, '../../services/standalone/dist/main.js')
  const child = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      DATABASE_URL: postgres.url,
      MILLRACE_DATA_DIR: join(folder, 'data'),
      MILLRACE_PORT: String(port),
      MILLRACE_GRPC_PORT: String(grpcPort),
      MILLRACE_ADMIN_PASSWORD: password,
      MILLRACE_RATE_LIMIT_REQUESTS: '10000000',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = await ready(child)
  const connections = await connect(port, postgres.url)
  return {
    api: connections.api,
    database: connections.database,
    runtime: /^ *runtime +(.*)$/m.exec(output)?.[1] ?? `Node ${process.version.slice(1)}`,
    roots: [child.pid, postgres.pid].filter((pid) => pid !== undefined),
    async stop() {
      await connections.close()
      await end(child)
      await postgres.stop()
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Where the account of PostgreSQL can reach it. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
  chmodSync(folder, 0o711)
  return folder
}

/** The stack as `make stack` starts it: Envoy, seven services, PostgreSQL, Kafka, FerretDB, MinIO. */
export async function startStackTarget(env: Record<string, string> = {}): Promise<Target> {
  const folder = newFolder()
  const [port, grpcPort] = [await freePort(), await freePort()]
  const main = join(import.meta.dirname, '../../infra/stack/supervisor/dist/main.js')
  const child = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      MILLRACE_DATA_DIR: join(folder, 'data'),
      MILLRACE_PORT: String(port),
      MILLRACE_GRPC_PORT: String(grpcPort),
      MILLRACE_ADMIN_EMAIL: email,
      MILLRACE_ADMIN_PASSWORD: password,
      MILLRACE_RATE_LIMIT_REQUESTS: '10000000',
      OTEL_SDK_DISABLED: 'true',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await ready(child, /ready at/)
  const status = JSON.parse(readFileSync(join(folder, 'data/stack/stack.json'), 'utf8')) as { databaseUrl: string }
  const connections = await connect(port, status.databaseUrl)
  return {
    api: connections.api,
    database: connections.database,
    runtime: `Node ${process.version.slice(1)}`,
    roots: [child.pid].filter((pid) => pid !== undefined),
    async stop() {
      await connections.close()
      await end(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function connect(port: number, databaseUrl: string) {
  const url = `http://127.0.0.1:${port}`
  const http = new Pool(url, { connections: 50 })
  const database = new pg.Client({ connectionString: databaseUrl })
  const api = await Api.login(http, email, password, url)
  await database.connect()
  return { api, database, close: () => Promise.all([http.close(), database.end()]) }
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'close')
}

function ready(child: ChildProcess, sign = /ready/): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (sign.test(output)) resolve(output)
    })
    child.once('close', () => reject(new Error(`the deployment did not start:\n${output}`)))
  })
}
