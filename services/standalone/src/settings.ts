import type { ServiceName } from '@millrace/identity'
import type { StandaloneConfig } from './config.js'

/** What every child may know of the configuration. */
export type ChildConfig = Omit<StandaloneConfig, 'adminPassword' | 'masterKey' | 'databaseUrl' | 'smtpUrl'>

export function childConfigOf(config: StandaloneConfig): ChildConfig {
  const { adminPassword: _p, masterKey: _k, databaseUrl: _d, smtpUrl: _s, ...open } = config
  return open
}

/**
 * What a child is told at its start; everything in it survives the channel between processes. Secrets come this way and
 * never in the environment, which others can read; a child is given those of the services that it runs.
 */
export interface ChildSettings {
  config: ChildConfig
  secrets: Partial<Record<ServiceName, Readonly<Record<string, string | undefined>>>>
  /** Of the event log, for the bus that services of one process share. */
  eventsUrl?: string
  ports: InternalPorts
}

export interface WorkerSettings extends ChildSettings {
  index: number
}

const portNames = [
  'iamHttp',
  'iamGrpc',
  'workflowHttp',
  'workflowGrpc',
  'metadataHttp',
  'metadataPublicGrpc',
  'notificationHttp',
  'artifactHttp',
  'schedulerHttp',
  'schedulerGrpc',
  'schedulerPublicGrpc',
] as const

/** Loopback ports of the services. They stay the same when a child is started again. */
export type InternalPorts = Record<(typeof portNames)[number], number>

export const internalPortCount = portNames.length

export function nameInternalPorts(ports: number[]): InternalPorts {
  return Object.fromEntries(portNames.map((name, i) => [name, ports[i]])) as InternalPorts
}
