import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { commandLine } from './standalone.js'

/** Of the embedded PostgreSQL of a data dir, once it is ready. While one starts, its file may name another process. */
export function readyPostmaster(dataDir: string): number | undefined {
  try {
    const home = join(dataDir, 'postgres')
    const [pid = '', , , , , , , status] = readFileSync(join(clusterOf(home), 'postmaster.pid'), 'utf8').split('\n')
    return status?.trim() === 'ready' && commandLine(pid).includes('postgres') ? Number(pid) : undefined
  } catch {
    return undefined
  }
}

/** Elsewhere where PostgreSQL's account cannot enter a folder above the data dir. */
function clusterOf(home: string): string {
  try {
    return readFileSync(join(home, 'cluster-location'), 'utf8').trim()
  } catch {
    return join(home, 'cluster')
  }
}

/** By a connection of its own. */
export async function databaseAnswers(databaseUrl: string): Promise<boolean> {
  const connection = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 })
  connection.on('error', () => undefined)
  try {
    await connection.connect()
    await connection.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await connection.end().catch(() => undefined)
  }
}
