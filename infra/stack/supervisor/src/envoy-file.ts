import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { plainTextWarning, type StandaloneConfig } from '@millrace/standalone-service'
import { parse, stringify } from 'yaml'
import { addEdge } from '../../../tooling/envoy-edge.mjs'
import { addServiceTls, type ServiceTlsFiles, serviceSecrets } from '../../../tooling/envoy-service-tls.mjs'
import { addTracing, samplePercent } from '../../../tooling/envoy-tracing.mjs'
import { local, type StackPorts } from './ports.js'

const committed = fileURLToPath(new URL('../../../envoy/envoy.yaml', import.meta.url))

interface Listener {
  name: string
  address: object
}

interface Cluster {
  name: string
  type: string
  lb_policy?: string
  load_assignment: { cluster_name: string; endpoints: object[] }
  health_checks?: object[]
}

interface EnvoyDocument {
  admin?: object
  static_resources: { listeners: Listener[]; clusters: Cluster[] }
}

/** The configuration that is in the repository, with the addresses of this stack. */
export function fillEnvoy(
  document: EnvoyDocument,
  listeners: Record<string, string>,
  clusters: Record<string, string[]>,
) {
  for (const listener of document.static_resources.listeners) {
    listener.address = socketAddress(known(listeners, listener.name))
  }
  for (const cluster of document.static_resources.clusters) {
    const addresses = known(clusters, cluster.name)
    cluster.type = 'STATIC'
    cluster.load_assignment.endpoints = [
      { lb_endpoints: addresses.map((address) => ({ endpoint: { address: socketAddress(address) } })) },
    ]
    if (addresses.length > 1) {
      cluster.health_checks = [grpcHealth]
      cluster.lb_policy = 'MAGLEV'
    }
  }
  return document
}

// A replica that is gone is left out; with one alone there is nobody else to ask.
const grpcHealth = {
  timeout: '1s',
  interval: '1s',
  no_traffic_interval: '1s',
  unhealthy_threshold: 2,
  healthy_threshold: 1,
  always_log_health_check_failures: false,
  grpc_health_check: {},
}

function known<T>(of: Record<string, T>, name: string): T {
  const found = of[name]
  if (found === undefined) throw new Error(`the stack has no address for ${name} of envoy.yaml`)
  return found
}

function socketAddress(address: string): object {
  const colon = address.lastIndexOf(':')
  return { socket_address: { address: address.slice(0, colon), port_value: Number(address.slice(colon + 1)) } }
}

export interface EnvoyFile {
  path: string
  /** Readable and writable by the owner alone: no admin listener is open to the network. */
  adminSocket: string
  /** For the operator, where others can read what the gateway is sent. */
  warning: string | undefined
}

export function writeEnvoyFile(
  dataDir: string,
  config: StandaloneConfig,
  ports: StackPorts,
  tls: { edge: string | undefined; services: string | undefined },
): EnvoyFile {
  const adminSocket = join(dataDir, 'envoy-admin.sock')
  const filled = fillEnvoy(
    parse(readFileSync(committed, 'utf8')) as EnvoyDocument,
    { http: `${config.host}:${config.port}`, grpc: `${config.host}:${config.grpcPort}` },
    {
      iam: [local(ports.iamHttp)],
      workflow: [local(ports.workflowHttp)],
      metadata: [local(ports.metadataHttp)],
      notification: [local(ports.notificationHttp)],
      artifact: [local(ports.artifactHttp)],
      'iam-grpc': [local(ports.iamGrpc)],
      'scheduler-grpc': [local(ports.scheduler1PublicGrpc), local(ports.scheduler2PublicGrpc)],
      'metadata-grpc': [local(ports.metadataPublicGrpc)],
    },
  )
  const services = filled.static_resources.clusters.map(({ name }) => name)
  const document = tls.services ? addServiceTls(filled, services, writeSecrets(dataDir, tls.services)) : filled
  const endpoint = process.env.OTEL_EXPORTER_OTLP_ENDPOINT
  // A collector behind TLS gets the spans of the services alone.
  if (endpoint?.startsWith('http://')) addTracing(document, { endpoint, percent: samplePercent(process.env) })
  document.admin = { address: { pipe: { path: adminSocket, mode: 0o600 } } }
  const path = join(dataDir, 'envoy.yaml')
  const { trustedProxies, corsOrigins } = config
  const complete = addEdge(document, { tlsFile: tls.edge, trustedProxies, corsOrigins })
  writeFileSync(path, stringify(complete, { aliasDuplicateObjects: false }), { mode: 0o600 })
  return { path, adminSocket, warning: plainTextWarning(config.host, tls.edge) }
}

function writeSecrets(dataDir: string, tlsDir: string): ServiceTlsFiles {
  const { certificate, authority } = serviceSecrets(join(tlsDir, 'gateway'))
  const [certificateFile, authorityFile] = [
    join(dataDir, 'envoy-certificate.json'),
    join(dataDir, 'envoy-authority.json'),
  ]
  writeFileSync(certificateFile, JSON.stringify(certificate), { mode: 0o600 })
  writeFileSync(authorityFile, JSON.stringify(authority), { mode: 0o600 })
  return { certificateFile, authorityFile }
}
