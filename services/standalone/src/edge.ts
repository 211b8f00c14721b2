import { fileURLToPath } from 'node:url'
import { createArtifactService, readArtifactConfig } from '@millrace/artifact-service'
import { createPostgresEventBus, type EventBus } from '@millrace/events'
import { createIamService, readIamConfig } from '@millrace/iam-service'
import { createLogger } from '@millrace/logger'
import { createNotificationService, readNotificationConfig } from '@millrace/notification-service'
import { startTelemetry } from '@millrace/telemetry'
import { createWorkflowService, readWorkflowConfig } from '@millrace/workflow-service'
import { type ChildService, runChild } from './children/run-child.js'
import { serviceEnv } from './children/service-env.js'
import { type Startable, startAll, stopAll } from './children/service-group.js'
import { createGateway, type Gateway } from './gateway/create-gateway.js'
import type { ChildSettings } from './settings.js'
import { leaveFirstAdmin } from './supervisor/first-admin.js'

const drainMs = 2_500

function makeGateway({ config, ports }: ChildSettings): Gateway {
  const local = (port: number) => `127.0.0.1:${port}`
  return createGateway({
    configFile: fileURLToPath(new URL('../../../infra/envoy/envoy.yaml', import.meta.url)),
    http: { host: config.host, port: config.port },
    grpc: { host: config.host, port: config.grpcPort },
    clusters: {
      iam: local(ports.iamHttp),
      workflow: local(ports.workflowHttp),
      metadata: local(ports.metadataHttp),
      notification: local(ports.notificationHttp),
      artifact: local(ports.artifactHttp),
      'iam-grpc': local(ports.iamGrpc),
      'scheduler-grpc': local(ports.schedulerPublicGrpc),
      'metadata-grpc': local(ports.metadataPublicGrpc),
    },
    logger: createLogger({ service: 'gateway', level: config.logLevel }),
    edge: {
      ...(config.tlsCert && config.tlsKey ? { tls: { cert: config.tlsCert, key: config.tlsKey } } : {}),
      trustedProxies: config.trustedProxies,
      corsOrigins: config.corsOrigins,
    },
    drainMs,
  })
}

function makeIam(settings: ChildSettings, bus: EventBus): Startable {
  const { iamHttp: http, iamGrpc: grpc } = settings.ports
  return createIamService(readIamConfig(serviceEnv(settings, 'iam', { http, grpc })), {
    bus,
    onAdminCreated: async (admin) => leaveFirstAdmin(settings.config.dataDir, admin),
  })
}

function makeServices(settings: ChildSettings, bus: EventBus): Startable[] {
  const { ports } = settings
  const { workflowHttp, workflowGrpc, notificationHttp, artifactHttp } = ports
  const workflow = serviceEnv(settings, 'workflow', { http: workflowHttp, grpc: workflowGrpc })
  const notification = serviceEnv(settings, 'notification', { http: notificationHttp })
  const artifact = serviceEnv(settings, 'artifact', { http: artifactHttp })
  return [
    createWorkflowService(readWorkflowConfig(workflow), { bus }),
    createNotificationService(readNotificationConfig(notification), { bus }),
    createArtifactService(readArtifactConfig(artifact), { bus }),
  ]
}

/** One for all services of the process: its readers share connections, pages and positions. */
function makeBus({ config, eventsUrl }: ChildSettings): EventBus {
  if (eventsUrl === undefined) throw new Error('the edge was not told where the event log is')
  const logger = createLogger({ service: 'edge', level: config.logLevel })
  return createPostgresEventBus({ connectionString: eventsUrl, logger })
}

/**
 * The gateway and the services behind it. iam starts before the others and stops after them: they ask it who calls, and
 * it has made the tables of the event log by then.
 */
function makeEdge(settings: ChildSettings): ChildService {
  const telemetry = startTelemetry({ serviceName: 'edge' })
  const bus = makeBus(settings)
  const iam = makeIam(settings, bus)
  const services = makeServices(settings, bus)
  const gateway = makeGateway(settings)
  return {
    async start() {
      await startAll([iam])
      await startAll(services)
      await gateway.start()
    },
    drain: () => gateway.stop(),
    async stop() {
      await gateway.stop()
      await stopAll(services)
      await stopAll([iam])
      await bus.close()
      await telemetry.shutdown()
    },
  }
}

runChild(makeEdge)
