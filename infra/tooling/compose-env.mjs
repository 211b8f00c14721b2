// Writes .env with fresh secrets for compose, and adds to an existing one what it lacks. A value that is there is never
// changed: losing the master key loses what it encrypts.
import { generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

export const services = ['iam', 'workflow', 'scheduler', 'worker', 'metadata', 'notification', 'artifact']

const secret = () => randomBytes(24).toString('base64url')

/** All settings that compose needs and that `known` does not have. */
export function composeEnv(known = {}) {
  const masterKey = known.MILLRACE_MASTER_KEY ?? randomBytes(32).toString('base64')
  const made = {
    MILLRACE_MASTER_KEY: masterKey,
    MILLRACE_NOTIFICATION_KEY: derive(masterKey, 'millrace/notification/subscriptions'),
    MILLRACE_WORKFLOW_KEY: derive(masterKey, 'millrace/workflow/hooks'),
    MILLRACE_ARTIFACT_KEY: derive(masterKey, 'millrace artifact signed urls'),
    MILLRACE_ADMIN_PASSWORD: secret(),
    POSTGRES_PASSWORD: secret(),
    MINIO_ROOT_PASSWORD: secret(),
    ARTIFACT_S3_PASSWORD: secret(),
    MONGO_ADMIN_PASSWORD: secret(),
    METADATA_MONGO_PASSWORD: secret(),
    KAFKA_ADMIN_PASSWORD: secret(),
    ...passwords('KAFKA', services),
    ...passwords(
      'DATABASE',
      services.filter((name) => name !== 'worker'),
    ),
    // One alone would not fit the others' public keys: all are made together.
    ...(known.MILLRACE_SERVICE_PUBLIC_KEYS === undefined ? serviceKeys() : {}),
  }
  return Object.fromEntries(Object.entries(made).filter(([name]) => known[name] === undefined))
}

const passwords = (server, names) =>
  Object.fromEntries(names.map((name) => [`${name.toUpperCase()}_${server}_PASSWORD`, secret()]))

/** As `deriveKey` of pkg/config does: what was encrypted under the master key before stays readable. */
function derive(masterKey, purpose) {
  const master = Buffer.from(masterKey, /^[0-9a-f]{64}$/i.test(masterKey) ? 'hex' : 'base64')
  return Buffer.from(hkdfSync('sha256', master, '', purpose, 32)).toString('base64')
}

/** A key pair a service: each is given its own private key, and all know the public keys. */
function serviceKeys() {
  const made = {}
  const trusted = []
  for (const name of services) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'der' },
      privateKeyEncoding: { type: 'pkcs8', format: 'der' },
    })
    made[`${name.toUpperCase()}_SERVICE_KEY`] = privateKey.toString('base64')
    trusted.push(`${name}=${publicKey.toString('base64')}`)
  }
  return { ...made, MILLRACE_SERVICE_PUBLIC_KEYS: trusted.join(',') }
}

/** Says what to tell the person, if anything. */
export function completeEnvFile(file) {
  const exists = existsSync(file)
  const text = exists ? readFileSync(file, 'utf8') : ''
  const filled = Object.entries(parseEnv(text)).filter(([, value]) => value !== '')
  const made = composeEnv(Object.fromEntries(filled))
  const lines = Object.entries(made).map(([name, value]) => `${name}=${value}\n`)
  if (!exists) {
    writeFileSync(file, lines.join(''), { mode: 0o600, flag: 'wx' })
    return `.env written. The admin is admin@millrace.local, the password ${made.MILLRACE_ADMIN_PASSWORD}`
  }
  if (lines.length === 0) return undefined
  appendFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${lines.join('')}`)
  return `.env completed with ${Object.keys(made).join(', ')}`
}

/** Compose's gateway ends no TLS itself. The environment counts before the file, as it does for compose. */
export function plainTextWarning(file, environment = process.env) {
  const fromFile = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')).MILLRACE_HOST : undefined
  const host = environment.MILLRACE_HOST || fromFile || '127.0.0.1'
  if (host.startsWith('127.') || host === '::1' || host === '[::1]' || host === 'localhost') return undefined
  return `Warning: the gateway will listen on ${host} without TLS. Let a proxy end TLS and keep others from its ports.`
}

if (process.argv[1] === import.meta.filename) {
  const file = join(import.meta.dirname, '../../.env')
  const said = completeEnvFile(file)
  if (said) console.log(said)
  const warning = plainTextWarning(file)
  if (warning) console.error(warning)
}
