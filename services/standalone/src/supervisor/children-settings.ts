import { generateServiceKeySet, type ServiceName, serviceNames } from '@millrace/identity'
import { secretEnv } from '../children/service-secrets.js'
import type { StandaloneConfig } from '../config.js'
import { type ChildSettings, childConfigOf, type InternalPorts } from '../settings.js'

/** The services of each kind of child. */
export const servicesOf = {
  edge: ['iam', 'workflow', 'notification', 'artifact'],
  core: ['scheduler'],
  records: ['metadata'],
  worker: ['worker'],
} as const satisfies Record<string, readonly ServiceName[]>

export type ChildKind = keyof typeof servicesOf
export type ChildrenSettings = Record<ChildKind, ChildSettings>

/** Each has a schema of its name. */
export const storingServices = serviceNames.filter((name) => name !== 'worker')

/** Everybody who stores something, and `events` for a bus that services share. */
export type DatabaseUrls = Readonly<Record<Exclude<ServiceName, 'worker'> | 'events', string>>

export interface Platform {
  config: StandaloneConfig
  masterKey: string
  databaseUrls: DatabaseUrls
  ports: InternalPorts
}

/**
 * Keys of services are made for each start and never written down: every process that uses them begins and ends with
 * this one.
 */
export function childrenSettings(platform: Platform): ChildrenSettings {
  const keys = { masterKey: platform.masterKey, services: generateServiceKeySet() }
  const urls: Partial<Record<ServiceName, string>> = platform.databaseUrls
  const secretsOf = (services: readonly ServiceName[]): ChildSettings['secrets'] =>
    Object.fromEntries(
      services.map((name) => [name, { ...secretEnv(name, keys, process.env), DATABASE_URL: urls[name] }] as const),
    )
  const { ports } = platform
  const config = childConfigOf(platform.config)
  const { edge, core, records, worker } = servicesOf
  return {
    edge: { config, ports, secrets: secretsOf(edge), eventsUrl: platform.databaseUrls.events },
    core: { config, ports, secrets: secretsOf(core) },
    records: { config, ports, secrets: secretsOf(records) },
    worker: { config, ports, secrets: secretsOf(worker) },
  }
}

/** Without roles of their own, everybody has the owner's. */
export function sameUrlForAll(url: string): DatabaseUrls {
  return Object.fromEntries([...storingServices, 'events'].map((name) => [name, url])) as unknown as DatabaseUrls
}
