import { createWorkerService, readWorkerConfig } from '@millrace/worker-service'
import { runChild } from './children/run-child.js'
import { serviceEnv } from './children/service-env.js'
import type { WorkerSettings } from './settings.js'

// Shorter than the supervisor waits: what has not ended by then is handed back to the queue.
const drainMs = 2_500

runChild<WorkerSettings>((settings) => {
  const env = {
    ...serviceEnv(settings, {}),
    MILLRACE_WORKER_NAME: `standalone-${settings.index}`,
    MILLRACE_WORKER_DRAIN_TIMEOUT: `${drainMs}ms`,
    MILLRACE_WORKER_FLUSH_TIMEOUT: '1000ms',
  }
  const worker = createWorkerService(readWorkerConfig(env))
  return {
    start: () => worker.start(),
    drain: async () => undefined,
    stop: () => worker.stop(drainMs),
  }
})
