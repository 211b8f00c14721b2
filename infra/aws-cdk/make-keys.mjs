// node infra/aws-cdk/make-keys.mjs <folder> <smtp-url>: the secrets that exist before a stack, one file a service with its own keys
// and no other's. Each becomes the secret millrace/<branch>/<service>: docs/guides/aws.md.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { composeEnv, services } from '../tooling/compose-env.mjs'

const ofOne = {
  iam: ['MILLRACE_MASTER_KEY', 'MILLRACE_MASTER_KEY_PREVIOUS', 'MILLRACE_ADMIN_PASSWORD'],
  workflow: ['MILLRACE_WORKFLOW_KEY', 'MILLRACE_WORKFLOW_KEY_PREVIOUS'],
  notification: ['MILLRACE_NOTIFICATION_KEY', 'MILLRACE_NOTIFICATION_KEY_PREVIOUS'],
  artifact: ['MILLRACE_ARTIFACT_KEY', 'MILLRACE_ARTIFACT_KEY_PREVIOUS'],
}
const mailing = new Set(['iam', 'notification', 'worker'])

/** Fields of each service's secret. A key before is empty until the key is replaced: a container needs each field. */
export function makeKeys(smtpUrl) {
  const made = composeEnv()
  const keysOf = (service) => ({
    MILLRACE_SERVICE_KEY: made[`${service.toUpperCase()}_SERVICE_KEY`],
    MILLRACE_SERVICE_PUBLIC_KEYS: made.MILLRACE_SERVICE_PUBLIC_KEYS,
    ...Object.fromEntries((ofOne[service] ?? []).map((name) => [name, made[name] ?? ''])),
    ...(mailing.has(service) ? { MILLRACE_SMTP_URL: smtpUrl } : {}),
  })
  return Object.fromEntries(services.map((service) => [service, keysOf(service)]))
}

if (process.argv[1] === import.meta.filename) {
  const [folder, smtpUrl] = process.argv.slice(2)
  if (folder === undefined || smtpUrl === undefined) {
    console.error('node infra/aws-cdk/make-keys.mjs <folder> <smtp-url>')
    process.exit(1)
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const [service, keys] of Object.entries(makeKeys(smtpUrl))) {
    writeFileSync(join(folder, `${service}.json`), JSON.stringify(keys), { mode: 0o600, flag: 'wx' })
  }
}
