// Writes .env with fresh secrets for compose when there is none. An existing one is never touched.
import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export function composeEnv() {
  const secret = () => randomBytes(24).toString('base64url')
  return {
    MILLRACE_SERVICE_SECRET: secret(),
    MILLRACE_MASTER_KEY: randomBytes(32).toString('base64'),
    MILLRACE_ADMIN_PASSWORD: secret(),
    POSTGRES_PASSWORD: secret(),
    MINIO_ROOT_PASSWORD: secret(),
  }
}

if (process.argv[1] === import.meta.filename) {
  const file = join(import.meta.dirname, '../../.env')
  if (!existsSync(file)) {
    const env = composeEnv()
    const lines = Object.entries(env).map(([name, value]) => `${name}=${value}`)
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' })
    console.log(`.env written. The admin is admin@millrace.local, the password ${env.MILLRACE_ADMIN_PASSWORD}`)
  }
}
