import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

/** Where a secret setting of a container stands. */
export type SecretPlace =
  /** Secret `millrace/<branch>/<service>`, made before the stack by make-keys.mjs; the field has the setting's name. */
  | { from: 'keys' }
  /** Account of the service at Kafka. */
  | { from: 'kafka'; field: 'username' | 'password' }
  /** A URL with a password in it. */
  | { from: 'database-url' | 'mongo-url' }
  /** Password of a service's database role; given to setup alone. */
  | { from: 'database-password'; of: string }

export interface Settings {
  plain: Record<string, string>
  secret: Record<string, SecretPlace>
}

/** What only the stack knows. */
export interface Surroundings {
  /** Private DNS zone of the services. */
  zone: string
  publicUrl: string
  brokers: string
  bucket: string
  region: string
}

const composeFile = fileURLToPath(new URL('../../../compose.yml', import.meta.url))

const keys: ReadonlySet<string> = new Set([
  'MILLRACE_SERVICE_KEY',
  'MILLRACE_SERVICE_PUBLIC_KEYS',
  'MILLRACE_MASTER_KEY',
  'MILLRACE_MASTER_KEY_PREVIOUS',
  'MILLRACE_WORKFLOW_KEY',
  'MILLRACE_WORKFLOW_KEY_PREVIOUS',
  'MILLRACE_NOTIFICATION_KEY',
  'MILLRACE_NOTIFICATION_KEY_PREVIOUS',
  'MILLRACE_ARTIFACT_KEY',
  'MILLRACE_ARTIFACT_KEY_PREVIOUS',
  'MILLRACE_ADMIN_PASSWORD',
  'MILLRACE_SMTP_URL',
])

/** Artifacts go to S3 by the task's role, at AWS' own address. */
const ofMinio: ReadonlySet<string> = new Set([
  'MILLRACE_S3_ENDPOINT',
  'MILLRACE_S3_PUBLIC_URL',
  'MILLRACE_S3_ACCESS_KEY',
  'MILLRACE_S3_SECRET_KEY',
])

/** Between services there is no TLS on AWS, so none is probed beside it; their network is their own. */
const ofServiceTls = /^MILLRACE_(TLS_SERVICE_(CERT|KEY|CA)|SERVICE_PROBE_PORT)$/

const hostPattern = /\b(iam|workflow|scheduler|worker|metadata|notification|artifact):(?=\d)/g

/**
 * Which settings a service has is said by compose.yml alone; here stands what each is on AWS. One that compose gains and that has
 * no place here fails the synthesis by its name.
 */
export function settingsOf(service: string, around: Surroundings): Settings {
  const compose = parse(readFileSync(composeFile, 'utf8'), { merge: true }) as {
    services: Record<string, { environment: Record<string, string> }>
  }
  const given = compose.services[service]?.environment
  if (given === undefined) throw new Error(`compose.yml has no service ${service}`)
  const settings: Settings = { plain: {}, secret: {} }
  for (const [name, value] of Object.entries(given)) place(settings, name, String(value), around)
  return { plain: { ...settings.plain, ...added(given, around) }, secret: settings.secret }
}

function place(settings: Settings, name: string, value: string, around: Surroundings): void {
  const secret = secretPlace(name)
  const plain = onAws(name, around) ?? defaultOf(value)
  if (ofMinio.has(name) || ofServiceTls.test(name)) return
  if (secret !== undefined) settings.secret[name] = secret
  else if (plain === undefined)
    throw new Error(`${name} of compose.yml has no place on AWS (infra/aws-cdk/src/settings.ts)`)
  else if (plain !== '') settings.plain[name] = plain.replaceAll(hostPattern, `$1.${around.zone}:`)
}

function secretPlace(name: string): SecretPlace | undefined {
  if (keys.has(name)) return { from: 'keys' }
  if (name === 'DATABASE_URL') return { from: 'database-url' }
  if (name === 'MILLRACE_MONGO_URL') return { from: 'mongo-url' }
  if (name === 'MILLRACE_KAFKA_USERNAME') return { from: 'kafka', field: 'username' }
  if (name === 'MILLRACE_KAFKA_PASSWORD') return { from: 'kafka', field: 'password' }
  const role = /^([A-Z]+)_DATABASE_PASSWORD$/.exec(name)?.[1]
  return role === undefined ? undefined : { from: 'database-password', of: role.toLowerCase() }
}

function onAws(name: string, around: Surroundings): string | undefined {
  const values: Record<string, string> = {
    MILLRACE_KAFKA_BROKERS: around.brokers,
    MILLRACE_KAFKA_SASL: 'scram-sha-512',
    MILLRACE_S3_BUCKET: around.bucket,
    MILLRACE_PUBLIC_URL: around.publicUrl,
    MILLRACE_ARTIFACT_URL: `http://artifact.${around.zone}:8085`,
    // Not loopback: registration is closed unless it is opened by name.
    MILLRACE_HOST: '0.0.0.0',
  }
  return values[name]
}

/** What compose would use without an .env; undefined where it asks for a secret. */
function defaultOf(value: string): string | undefined {
  if (/\$\{\w+:\?/.test(value)) return undefined
  return value.replaceAll(/\$\{\w+:-([^{}]*)\}/g, '$1')
}

function added(given: Record<string, string>, around: Surroundings): Record<string, string> {
  return {
    NODE_ENV: 'production',
    MILLRACE_KAFKA_SSL: 'true',
    // PostgreSQL's and DocumentDB's certificates; the images of this folder have them.
    NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/aws-databases.pem',
    ...('MILLRACE_S3_BUCKET' in given ? { MILLRACE_S3_REGION: around.region } : {}),
    // Longer than compose: ECS waits up to two minutes for a task to end.
    ...('MILLRACE_WORKER_CONCURRENCY' in given ? { MILLRACE_WORKER_DRAIN_TIMEOUT: '60s' } : {}),
  }
}
