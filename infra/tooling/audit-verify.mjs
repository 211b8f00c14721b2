// Verifies the audit log: of DATABASE_URL with MILLRACE_MASTER_KEY, or of the standalone in MILLRACE_DATA_DIR.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const dataDir = resolve(process.env.MILLRACE_DATA_DIR || join(root, '.millrace'))

/** Of the PostgreSQL that a standalone runs. */
function embeddedUrl() {
  const folder = join(dataDir, 'postgres')
  const pidFile = join(folder, 'cluster', 'postmaster.pid')
  if (!existsSync(pidFile)) {
    console.error(`No Millrace runs in ${dataDir}. Start it, or set DATABASE_URL and MILLRACE_MASTER_KEY.`)
    process.exit(2)
  }
  const port = readFileSync(pidFile, 'utf8').split('\n')[3]
  const password = readFileSync(join(folder, 'password'), 'utf8').trim()
  return `postgresql://millrace:${password}@127.0.0.1:${port}/millrace`
}

const generatedKey = () => JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')).masterKey
const env = {
  ...process.env,
  DATABASE_URL: process.env.DATABASE_URL || embeddedUrl(),
  MILLRACE_MASTER_KEY: process.env.MILLRACE_MASTER_KEY || generatedKey(),
}
const { status } = spawnSync(process.execPath, [join(root, 'services/iam/dist/verify-audit-main.js')], {
  env,
  stdio: 'inherit',
})
process.exit(status ?? 2)
