import { startTelemetry } from '@millrace/telemetry'
import { createWorkerService, readWorkerConfig } from '@millrace/worker-service'
import { runChild } from './children/run-child.js'
import { serviceEnv } from './children/service-env.js'
import type { WorkerSettings } from './settings.js'

// Shorter than the supervisor waits: what has not ended by then is handed back to the queue.
const drainMs = 2_500

runChild<WorkerSettings>((settings, end, tell) => {
  const env = {
    ...serviceEnv(settings, 'worker', {}),
    MILLRACE_WORKER_NAME: `standalone-${settings.index}`,
    MILLRACE_WORKER_DRAIN_TIMEOUT: `${drainMs}ms`,
    MILLRACE_WORKER_FLUSH_TIMEOUT: '1000ms',
  }
  const telemetry = startTelemetry({ serviceName: 'worker' })
  // Drained means finished: the supervisor starts a fresh process in its place.
  const worker = createWorkerService(readWorkerConfig(env), {
    onDrained: end,
    onRegistered: (sessionId) => tell({ kind: 'session', sessionId }),
  })
  return {
    start: () => worker.start(),
    drain: async () => undefined,
    async stop() {
      await worker.stop(drainMs)
      await telemetry.shutdown()
    },
  }
})
