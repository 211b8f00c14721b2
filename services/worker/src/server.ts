import { workerServiceDefinition } from '@millrace/contracts'
import { createGrpcServer } from '@millrace/grpc'
import type { WorkerConfig } from './config.js'
import { createContext, type WorkerContext, type WorkerDeps } from './context.js'
import { type HealthListener, startHealth } from './health.js'
import { drain } from './rpc/drain.js'
import { getStatus } from './rpc/get-status.js'
import { pause } from './rpc/pause.js'
import { resume } from './rpc/resume.js'
import { hearScheduledHints } from './scheduled-hints.js'

export interface WorkerService {
  start(): Promise<void>
  /** Drains, then closes. What runs longer than the time is handed back. */
  stop(drainTimeoutMs?: number): Promise<void>
  readonly grpcPort: number
  readonly httpPort: number | undefined
  readonly worker: WorkerContext['worker']
}

export function createWorkerService(config: WorkerConfig, overrides: Partial<WorkerDeps> = {}): WorkerService {
  const ctx = createContext(config, overrides)
  const handlers = {
    getStatus: getStatus(ctx),
    pause: pause(ctx),
    resume: resume(ctx),
    drain: async (request: Parameters<ReturnType<typeof drain>>[0]) => {
      const answer = await drain(ctx)(request)
      // The answer leaves first: stopping the listener gives it the time.
      setImmediate(() => overrides.onDrained?.())
      return answer
    },
  }
  const grpc = createGrpcServer({
    service: 'worker',
    logger: ctx.logger,
    auth: { kind: 'internal', identity: config.identity },
    services: [{ definition: workerServiceDefinition, handlers }],
  })
  let health: HealthListener | undefined
  let grpcPort = 0
  let stopping: Promise<void> | undefined

  const close = async (drainTimeoutMs: number) => {
    await ctx.worker.drain(drainTimeoutMs)
    await grpc.stop(1_000)
    await health?.stop()
    await ctx.close()
  }
  return {
    async start() {
      grpcPort = await grpc.start(config.grpc.host, config.grpc.port)
      if (config.http) health = await startHealth(ctx.worker, config.http.host, config.http.port)
      if (ctx.bus) await hearScheduledHints(ctx.bus, ctx.worker)
      ctx.worker.start()
    },
    stop(drainTimeoutMs = config.drainTimeoutMs) {
      stopping ??= close(drainTimeoutMs)
      return stopping
    },
    get grpcPort() {
      return grpcPort
    },
    get httpPort() {
      return health?.port
    },
    worker: ctx.worker,
  }
}
