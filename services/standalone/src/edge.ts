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

function makeGateway({ config, ports, secrets }: ChildSettings): Gateway {
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
    serviceSecret: secrets.serviceSecret,
    logger: createLogger({ service: 'gateway', level: config.logLevel }),
    drainMs,
  })
}

function makeIam(settings: ChildSettings, bus: EventBus): Startable {
  const { iamHttp: http, iamGrpc: grpc } = settings.ports
  return createIamService(readIamConfig(serviceEnv(settings, { http, grpc })), {
    bus,
    onAdminCreated: async (admin) => leaveFirstAdmin(settings.config.dataDir, admin),
  })
}

function makeServices(settings: ChildSettings, bus: EventBus): Startable[] {
  const { ports } = settings
  const env = (listeners: Parameters<typeof serviceEnv>[1]) => serviceEnv(settings, listeners)
  const { workflowHttp, workflowGrpc } = ports
  return [
    createWorkflowService(readWorkflowConfig(env({ http: workflowHttp, grpc: workflowGrpc })), { bus }),
    createNotificationService(readNotificationConfig(env({ http: ports.notificationHttp })), { bus }),
    createArtifactService(readArtifactConfig(env({ http: ports.artifactHttp })), { bus }),
  ]
}

/** One for all services of the process: its readers share connections, pages and positions. */
function makeBus({ config, databaseUrl }: ChildSettings): EventBus {
  const logger = createLogger({ service: 'edge', level: config.logLevel })
  return createPostgresEventBus({ connectionString: databaseUrl, logger })
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
