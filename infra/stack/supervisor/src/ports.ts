import { pickInternalPorts } from '@millrace/standalone-service'

const names = [
  'kafka',
  'kafkaController',
  'minio',
  'ferretdb',
  'iamHttp',
  'iamGrpc',
  'workflowHttp',
  'workflowGrpc',
  'metadataHttp',
  'metadataPublicGrpc',
  'notificationHttp',
  'artifactHttp',
  'scheduler1Http',
  'scheduler1Grpc',
  'scheduler1PublicGrpc',
  'scheduler2Http',
  'scheduler2Grpc',
  'scheduler2PublicGrpc',
  // Used where services speak TLS.
  'iamProbe',
  'workflowProbe',
  'metadataProbe',
  'notificationProbe',
  'artifactProbe',
  'scheduler1Probe',
  'scheduler2Probe',
] as const

export interface StackPorts extends Record<(typeof names)[number], number> {
  workersHttp: number[]
}

/** Loopback ports, the same for the whole life of a stack: who starts again is found where it was. */
export async function pickStackPorts(workers: number): Promise<StackPorts> {
  const ports = await pickInternalPorts(names.length + workers)
  const named = Object.fromEntries(names.map((name, i) => [name, ports[i]])) as Record<(typeof names)[number], number>
  return { ...named, workersHttp: ports.slice(names.length) }
}

export const local = (port: number): string => `127.0.0.1:${port}`
