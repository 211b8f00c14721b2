import type { StandaloneConfig } from './config.js'
import type { Secrets } from './supervisor/secrets.js'

/** What a child is told at its start; everything in it survives the channel between processes. */
export interface ChildSettings {
  config: StandaloneConfig
  secrets: Secrets
  databaseUrl: string
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
