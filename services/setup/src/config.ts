import { type ConfigOf, type Env, readConfig, secret, serviceFields } from '@millrace/config'

const password = (service: string) => secret<string>(`${service}_DATABASE_PASSWORD`, { minLength: 16 })

const fields = {
  databaseUrl: serviceFields.databaseUrl,
  events: serviceFields.events,
  logLevel: serviceFields.logLevel,
  iam: password('IAM'),
  workflow: password('WORKFLOW'),
  scheduler: password('SCHEDULER'),
  metadata: password('METADATA'),
  notification: password('NOTIFICATION'),
  artifact: password('ARTIFACT'),
}

type Values = ConfigOf<typeof fields>

export interface SetupConfig extends Pick<Values, 'databaseUrl' | 'events' | 'logLevel'> {
  passwords: Omit<Values, 'databaseUrl' | 'events' | 'logLevel'>
}

export function readSetupConfig(env: Env): SetupConfig {
  const { databaseUrl, events, logLevel, ...passwords } = readConfig(env, fields)
  return { databaseUrl, events, logLevel, passwords }
}
