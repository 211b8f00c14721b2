import { createSchedulerService, readSchedulerConfig } from '@millrace/scheduler-service'
import { startTelemetry } from '@millrace/telemetry'
import { runChild } from './children/run-child.js'
import { serviceEnv } from './children/service-env.js'
import type { ChildSettings } from './settings.js'

// The scheduler has a process to itself: nothing else may hold up its event loop.
runChild<ChildSettings>((settings) => {
  const telemetry = startTelemetry({ serviceName: 'scheduler' })
  const { schedulerHttp: http, schedulerGrpc: grpc, schedulerPublicGrpc: publicGrpc } = settings.ports
  const env = serviceEnv(settings, 'scheduler', { http, grpc, publicGrpc })
  const scheduler = createSchedulerService(readSchedulerConfig(env))
  return {
    start: () => scheduler.start(),
    drain: async () => undefined,
    workerDied: (sessionId) => scheduler.workerDied(sessionId),
    async stop() {
      await scheduler.stop()
      await telemetry.shutdown()
    },
  }
})
