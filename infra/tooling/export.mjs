// make export TO=<folder>: what of a stopped standalone moves to a stack. Its database as a dump of pg_dump, its files, and
// its master key. The folder is as private as the data dir.
import './check-node.mjs'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { ensureBuilt, ensureInstalled } = await import('./workspace.mjs')
await ensureInstalled(root)
await ensureBuilt(root)
const { loadSecrets, lockInstance, openDatabase, readStandaloneConfig, StartupError } = await import(
  pathToFileURL(join(root, 'services/standalone/dist/index.js')).href
)

function prepareFolder(wanted) {
  if (!wanted) throw new StartupError('Say where to: make export TO=<folder>')
  const folder = resolve(wanted)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (readdirSync(folder).length > 0) throw new StartupError(`${folder} is not empty.`)
  return folder
}

function dump(databaseUrl, file) {
  const url = new URL(databaseUrl)
  const password = decodeURIComponent(url.password)
  url.password = ''
  const { status, error } = spawnSync('pg_dump', ['--format=custom', `--file=${file}`, url.href], {
    // Not as an argument: those are for everybody to see.
    env: { ...process.env, PGPASSWORD: password },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (error) throw new StartupError(`pg_dump cannot be run (${error.message}). It comes with PostgreSQL's client.`)
  if (status !== 0) throw new StartupError('pg_dump failed. It has to be of the same version as PostgreSQL, or newer.')
}

async function run(wanted) {
  const config = readStandaloneConfig(process.env)
  if (!existsSync(join(config.dataDir, 'secrets.json'))) throw new StartupError(`${config.dataDir} is no data dir.`)
  const folder = prepareFolder(wanted)
  const dataDir = realpathSync(config.dataDir)
  const lock = await lockInstance(dataDir, 'is exported')
  try {
    const database = await openDatabase({ databaseUrl: config.databaseUrl, dataDir, onRestart: () => undefined })
    try {
      dump(database.url, join(folder, 'database.dump'))
    } finally {
      await database.stop()
    }
    const files = process.env.MILLRACE_ARTIFACT_DIR || join(dataDir, 'artifacts')
    if (existsSync(files)) cpSync(files, join(folder, 'artifacts'), { recursive: true })
    const masterKey = config.masterKey ?? loadSecrets(dataDir).masterKey
    writeFileSync(join(folder, 'master-key'), `${masterKey}\n`, { mode: 0o600 })
    console.log(`Exported to ${folder}`)
  } finally {
    lock.release()
  }
}

try {
  await run(process.argv[2])
} catch (error) {
  if (!(error instanceof StartupError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
