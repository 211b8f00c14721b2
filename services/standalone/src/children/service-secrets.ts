import { type DerivedKeyName, deriveKey, type Env, masterKey } from '@millrace/config'
import { formatTrustedServices, type ServiceKeySet, type ServiceName, serviceNames } from '@millrace/identity'

/** Variables of a person's environment that only some services may see, by name or by its beginning. */
const reserved: readonly { name: string | RegExp; services: readonly ServiceName[] }[] = [
  { name: 'DATABASE_URL', services: [] },
  { name: /^MILLRACE_MASTER_KEY/, services: ['iam'] },
  { name: /^MILLRACE_ADMIN_/, services: ['iam'] },
  { name: /^MILLRACE_OIDC_/, services: ['iam'] },
  { name: 'MILLRACE_SMTP_URL', services: ['iam', 'notification', 'worker'] },
  { name: /^MILLRACE_WORKFLOW_KEY/, services: ['workflow'] },
  { name: /^MILLRACE_NOTIFICATION_KEY/, services: ['notification'] },
  { name: /^MILLRACE_ARTIFACT_KEY/, services: ['artifact'] },
  { name: /^MILLRACE_S3_/, services: ['artifact'] },
  // The SDK looks for them in the process itself, and in files below HOME.
  { name: /^AWS_/, services: ['artifact'] },
  { name: 'MILLRACE_MONGO_URL', services: ['metadata'] },
  { name: 'MILLRACE_WORKER_API_KEY', services: ['worker'] },
  { name: /^MILLRACE_KAFKA_(USERNAME|PASSWORD)$/, services: serviceNames },
  // Made anew for each start.
  { name: /^MILLRACE_SERVICE_(KEY|PUBLIC_KEYS|SECRET)$/, services: [] },
]

/** What a process needs of the system it runs on, whatever it does. */
const ofTheSystem = /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|NODE_\w+|OTEL_\w+|SSL_CERT_(FILE|DIR))$/
const ofMillrace = /^(MILLRACE_|WORKER_)/

/** The environment of a process: none of Millrace's secrets is in it, whoever reads it. */
export function openEnv(env: Env, services: readonly ServiceName[] = []): Record<string, string | undefined> {
  const open = (name: string) => (ofTheSystem.test(name) || ofMillrace.test(name)) && servicesOf(name) === undefined
  const ofSdk = (name: string) => services.includes('artifact') && name.startsWith('AWS_')
  return pick(env, (name) => open(name) || ofSdk(name))
}

export interface PlatformKeys {
  masterKey: string
  services: ServiceKeySet
}

/** What one service alone is given: its keys, and those of a person's reserved variables that are meant for it. */
export function secretEnv(service: ServiceName, keys: PlatformKeys, env: Env): Record<string, string | undefined> {
  return {
    ...derivedKeys(service, keys.masterKey),
    ...previousKeys(service, env),
    ...pick(env, (name) => servicesOf(name)?.includes(service) ?? false),
    ...(service === 'iam' ? { MILLRACE_MASTER_KEY: keys.masterKey } : {}),
    MILLRACE_SERVICE_KEY: keys.services[service].privateKey,
    MILLRACE_SERVICE_PUBLIC_KEYS: formatTrustedServices(keys.services),
  }
}

const derivedKeyOf: Partial<Record<ServiceName, DerivedKeyName>> = {
  workflow: 'MILLRACE_WORKFLOW_KEY',
  notification: 'MILLRACE_NOTIFICATION_KEY',
  artifact: 'MILLRACE_ARTIFACT_KEY',
}

function derivedKeys(service: ServiceName, masterKey: string): Record<string, string> {
  const name = derivedKeyOf[service]
  return name === undefined ? {} : { [name]: deriveKey(name, Buffer.from(masterKey, 'base64')).toString('base64') }
}

/** While the master key is being replaced. */
function previousKeys(service: ServiceName, env: Env): Record<string, string> {
  const name = derivedKeyOf[service]
  const read = masterKey<Buffer | undefined>('MILLRACE_MASTER_KEY_PREVIOUS', { default: undefined }).read(env)
  if (name === undefined || 'fault' in read || read.value === undefined) return {}
  return { [`${name}_PREVIOUS`]: deriveKey(name, read.value).toString('base64') }
}

const servicesOf = (variable: string): readonly ServiceName[] | undefined =>
  reserved.find(({ name }) => (typeof name === 'string' ? name === variable : name.test(variable)))?.services

function pick(env: Env, wanted: (name: string) => boolean): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => wanted(name)))
}
