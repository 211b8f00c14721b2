import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServiceName } from '@millrace/identity'
import { answersOk, type MinioAccount, type ServerSpec } from '@millrace/stack-servers'
import {
  type DatabaseUrls,
  openEnv,
  type PlatformKeys,
  type StandaloneConfig,
  secretEnv,
} from '@millrace/standalone-service'
import { local, type StackPorts } from './ports.js'

export interface ServiceSettings {
  /** The Node that the services run on. */
  execPath: string
  config: StandaloneConfig
  dataDir: string
  /** Certificates, where services speak TLS. */
  tlsDir?: string | undefined
  keys: PlatformKeys
  adminPassword: string | undefined
  databaseUrls: DatabaseUrls
  ports: StackPorts
  s3: MinioAccount
  mongo: { name: string; password: string }
  kafkaPasswords: Readonly<Record<string, string>>
}

interface Service {
  name: string
  /** Folder below services/. */
  folder: ServiceName
  http: number
  /** Of the probes under TLS; a worker's HTTP has nothing else. */
  probes?: number
  grpc?: number
  publicGrpc?: number
  background?: boolean
  /** `/readyz` asks its dependencies; the workflow service's asks everybody. */
  probe?: '/healthz' | '/readyz'
  env?: Record<string, string | undefined>
}

const services = fileURLToPath(new URL('../../../../services', import.meta.url))

/** In groups: all of one group are up before the next begins, so nobody asks a service that is not there yet. */
export function serviceSpecs(settings: ServiceSettings): ServerSpec[][] {
  const { ports } = settings
  const groups: Service[][] = [
    [
      {
        ...{ name: 'iam', folder: 'iam', http: ports.iamHttp, probes: ports.iamProbe, grpc: ports.iamGrpc },
        env: adminEnv(settings),
      },
    ],
    [
      {
        ...{ name: 'workflow', folder: 'workflow', http: ports.workflowHttp, probes: ports.workflowProbe },
        ...{ grpc: ports.workflowGrpc, probe: '/healthz' },
      },
      {
        ...{ name: 'metadata', folder: 'metadata', http: ports.metadataHttp, probes: ports.metadataProbe },
        ...{ publicGrpc: ports.metadataPublicGrpc, background: true },
      },
    ],
    [
      { name: 'notification', folder: 'notification', http: ports.notificationHttp, probes: ports.notificationProbe },
      { name: 'artifact', folder: 'artifact', http: ports.artifactHttp, probes: ports.artifactProbe },
      ...schedulers(ports),
    ],
    ports.workersHttp.map((http, i) => worker(http, i + 1, settings)),
  ]
  return groups.map((group) => group.map((service) => specOf(service, settings)))
}

function schedulers(ports: StackPorts): Service[] {
  const folder = 'scheduler' as const
  return [
    {
      ...{ name: 'scheduler-1', folder, http: ports.scheduler1Http, probes: ports.scheduler1Probe },
      ...{ grpc: ports.scheduler1Grpc, publicGrpc: ports.scheduler1PublicGrpc },
    },
    {
      ...{ name: 'scheduler-2', folder, http: ports.scheduler2Http, probes: ports.scheduler2Probe },
      ...{ grpc: ports.scheduler2Grpc, publicGrpc: ports.scheduler2PublicGrpc },
    },
  ]
}

function worker(http: number, index: number, { config, ports }: ServiceSettings): Service {
  const schedulers = [local(ports.scheduler1PublicGrpc), local(ports.scheduler2PublicGrpc)]
  const env = {
    // A worker keeps to the first that answers: half of them to each.
    MILLRACE_SCHEDULER_PUBLIC_GRPC: (index % 2 === 1 ? schedulers : schedulers.toReversed()).join(','),
    MILLRACE_WORKER_NAME: `stack-${index}`,
    MILLRACE_WORKER_CONCURRENCY: String(config.workerConcurrency),
    // Shorter than the supervisor waits: what has not ended by then is handed back to the queue.
    MILLRACE_WORKER_DRAIN_TIMEOUT: process.env.MILLRACE_WORKER_DRAIN_TIMEOUT ?? '4s',
    MILLRACE_WORKER_FLUSH_TIMEOUT: '2s',
  }
  return { name: `worker-${index}`, folder: 'worker', http, probe: '/healthz', env }
}

const adminEnv = ({ config, adminPassword }: ServiceSettings) => ({
  MILLRACE_ADMIN_EMAIL: config.adminEmail,
  MILLRACE_ADMIN_PASSWORD: adminPassword,
  MILLRACE_OIDC_PROVIDERS: process.env.MILLRACE_OIDC_PROVIDERS ?? '',
})

function specOf(service: Service, settings: ServiceSettings): ServerSpec {
  const { name, folder, http, grpc, publicGrpc, probe = '/readyz', background = false } = service
  const probes = settings.tlsDir === undefined ? undefined : service.probes
  const health = local(probes ?? http)
  const text = (port: number | undefined) => (port === undefined ? undefined : String(port))
  return {
    name,
    background,
    command: settings.execPath,
    // The data dir is there so that an orphaned process of this very stack can be told from a stranger.
    args: [join(services, folder, 'dist', 'main.js'), settings.dataDir],
    env: {
      ...openEnv(process.env),
      ...sharedEnv(settings),
      ...secretsOf(folder, settings),
      ...tlsEnv(folder, settings),
      MILLRACE_SERVICE_PROBE_PORT: text(probes),
      MILLRACE_SERVICE_HTTP_PORT: text(http),
      MILLRACE_SERVICE_GRPC_PORT: text(grpc),
      MILLRACE_SERVICE_PUBLIC_GRPC_PORT: text(publicGrpc),
      ...service.env,
    },
    address: health,
    healthy: () => answersOk(`http://${health}${probe}`),
    answers: () => answersOk(`http://${health}/healthz`),
    startTimeoutMs: 120_000,
    stopTimeoutMs: 10_000,
  }
}

function tlsEnv(service: ServiceName, { tlsDir }: ServiceSettings): Record<string, string> {
  if (tlsDir === undefined) return {}
  return {
    MILLRACE_TLS_SERVICE_CERT: join(tlsDir, service, 'tls.crt'),
    MILLRACE_TLS_SERVICE_KEY: join(tlsDir, service, 'tls.key'),
    MILLRACE_TLS_SERVICE_CA: join(tlsDir, service, 'ca.crt'),
  }
}

/** What this service alone is given. */
function secretsOf(service: ServiceName, settings: ServiceSettings): Record<string, string | undefined> {
  const { keys, ports, s3, mongo } = settings
  const databaseUrls: Partial<Record<ServiceName, string>> = settings.databaseUrls
  const own = {
    ...secretEnv(service, keys, process.env),
    DATABASE_URL: databaseUrls[service],
    MILLRACE_KAFKA_USERNAME: service,
    MILLRACE_KAFKA_PASSWORD: settings.kafkaPasswords[service],
  }
  if (service === 'artifact') {
    return { ...own, MILLRACE_S3_ACCESS_KEY: s3.name, MILLRACE_S3_SECRET_KEY: s3.password }
  }
  const server = `${mongo.name}:${mongo.password}@${local(ports.ferretdb)}`
  const url = `mongodb://${server}/millrace?directConnection=true&authMechanism=PLAIN&authSource=%24external`
  return service === 'metadata' ? { ...own, MILLRACE_MONGO_URL: process.env.MILLRACE_MONGO_URL || url } : own
}

/** For what moves a standalone's documents, logs and files into the servers of this stack. */
export function importEnv(settings: ServiceSettings, adminUrl: string): Record<string, string> {
  const env = { ...secretsOf('metadata', settings), ...secretsOf('artifact', settings), ...sharedEnv(settings) }
  const given = Object.entries({ ...env, DATABASE_URL: adminUrl }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Record<string, string>
}

function sharedEnv({ dataDir, tlsDir, ports, s3 }: ServiceSettings): Record<string, string> {
  return {
    NODE_COMPILE_CACHE: join(dataDir, 'compile-cache'),
    MILLRACE_DATA_DIR: dataDir,
    MILLRACE_MAIL_DIR: join(dataDir, 'mail'),
    MILLRACE_SERVICE_HOST: '127.0.0.1',
    MILLRACE_EVENTS: 'kafka',
    MILLRACE_KAFKA_BROKERS: local(ports.kafka),
    MILLRACE_KAFKA_SASL: 'scram-sha-512',
    MILLRACE_S3_ENDPOINT: `http://${local(ports.minio)}`,
    MILLRACE_S3_BUCKET: s3.bucket,
    MILLRACE_IAM_GRPC: local(ports.iamGrpc),
    MILLRACE_WORKFLOW_GRPC: local(ports.workflowGrpc),
    MILLRACE_SCHEDULER_GRPC: `${local(ports.scheduler1Grpc)},${local(ports.scheduler2Grpc)}`,
    MILLRACE_METADATA_GRPC: local(ports.metadataPublicGrpc),
    MILLRACE_ARTIFACT_URL: `${tlsDir === undefined ? 'http' : 'https'}://${local(ports.artifactHttp)}`,
    MILLRACE_READY_DEPENDENCIES: readiness(ports, tlsDir === undefined ? 'Http' : 'Probe'),
  }
}

/** Asked by the workflow service when the gateway's /readyz is. One scheduler of the two is enough. */
function readiness(ports: StackPorts, at: 'Http' | 'Probe'): string {
  const asked: [string, number][] = [
    ['iam', ports[`iam${at}`]],
    ['scheduler', ports[`scheduler1${at}`]],
    ['scheduler', ports[`scheduler2${at}`]],
    ['metadata', ports[`metadata${at}`]],
    ['notification', ports[`notification${at}`]],
    ['artifact', ports[`artifact${at}`]],
  ]
  return asked.map(([name, port]) => `${name}=http://${local(port)}/readyz`).join(',')
}
