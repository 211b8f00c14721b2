import { join } from 'node:path'
import type { Env } from '@millrace/config'
import type { ServiceName } from '@millrace/identity'
import type { ChildSettings, InternalPorts } from '../settings.js'

export interface Listeners {
  http?: number
  grpc?: number
  publicGrpc?: number
}

const local = (port: number): string => `127.0.0.1:${port}`

/**
 * The environment a service would be given if it ran alone, so that its own config.ts stays the one place that knows its
 * settings. What the person set comes through; what joins the services is filled in here.
 */
export function serviceEnv(settings: ChildSettings, service: ServiceName, listeners: Listeners): Env {
  const { config, secrets } = settings
  return {
    ...process.env,
    MILLRACE_DATA_DIR: config.dataDir,
    MILLRACE_MAIL_DIR: join(config.dataDir, 'mail'),
    MILLRACE_SERVICE_HOST: '127.0.0.1',
    MILLRACE_SERVICE_HTTP_PORT: text(listeners.http),
    MILLRACE_SERVICE_GRPC_PORT: text(listeners.grpc),
    MILLRACE_SERVICE_PUBLIC_GRPC_PORT: text(listeners.publicGrpc),
    ...peers(settings.ports),
    ...secrets[service],
  }
}

function peers(ports: InternalPorts): Record<string, string> {
  return {
    MILLRACE_IAM_GRPC: local(ports.iamGrpc),
    MILLRACE_WORKFLOW_GRPC: local(ports.workflowGrpc),
    MILLRACE_READY_DEPENDENCIES: readiness(ports),
    MILLRACE_SCHEDULER_GRPC: local(ports.schedulerGrpc),
    MILLRACE_SCHEDULER_PUBLIC_GRPC: local(ports.schedulerPublicGrpc),
    MILLRACE_METADATA_GRPC: local(ports.metadataPublicGrpc),
    MILLRACE_ARTIFACT_URL: `http://${local(ports.artifactHttp)}`,
  }
}

const text = (port: number | undefined): string | undefined => (port === undefined ? undefined : String(port))

/** Asked by the workflow service when the gateway's /readyz is: up means all of them. */
function readiness(ports: InternalPorts): string {
  const services = {
    iam: ports.iamHttp,
    scheduler: ports.schedulerHttp,
    metadata: ports.metadataHttp,
    notification: ports.notificationHttp,
    artifact: ports.artifactHttp,
  }
  return Object.entries(services)
    .map(([name, port]) => `${name}=http://${local(port)}/readyz`)
    .join(',')
}
