import { dispatchDefinition, logServiceDefinition } from '@millrace/contracts'
import { createEgress, type Egress } from '@millrace/egress'
import { createGrpcClient, type GrpcClient } from '@millrace/grpc'
import { signServiceToken } from '@millrace/identity'
import { createLogger, type Logger } from '@millrace/logger'
import type { WorkerConfig } from './config.js'
import type { Executor } from './executors/executor.js'
import { builtInExecutors, createRegistry, type ExecutorRegistry } from './executors/registry.js'
import { LogShipper } from './logs/log-shipper.js'
import type { DispatchClient } from './session/dispatch-client.js'
import { Worker } from './worker.js'

export interface WorkerDeps {
  logger: Logger
  egress: Egress
  dispatch: DispatchClient
  logs: GrpcClient<typeof logServiceDefinition>
  /** In place of the built-in executors. */
  executors: Executor[]
  /** Called once a drain that was asked for over the wire is done. */
  onDrained: () => void
}

export interface WorkerContext {
  config: WorkerConfig
  logger: Logger
  worker: Worker
  executors: ExecutorRegistry
  close(): Promise<void>
}

export function createContext(config: WorkerConfig, overrides: Partial<WorkerDeps> = {}): WorkerContext {
  const logger = overrides.logger ?? createLogger({ service: 'worker', level: config.logLevel })
  const egress = overrides.egress ?? createEgress(config.egress)
  const identity = config.apiKey
    ? { bearer: config.apiKey }
    : { serviceToken: () => signServiceToken(config.serviceSecret, 'worker') }
  const dispatch =
    overrides.dispatch ?? createGrpcClient(dispatchDefinition, config.schedulerGrpc, { ...identity, logger })
  const logs = overrides.logs ?? createGrpcClient(logServiceDefinition, config.metadataGrpc, { ...identity, logger })
  const executors = createRegistry(overrides.executors ?? builtInExecutors(egress))
  const shipper = new LogShipper({ append: (lines) => logs.append({ lines }, { timeoutMs: 10_000 }), logger })
  const { name, queues, concurrency, leaseWaitMs, drainTimeoutMs, flushTimeoutMs } = config
  const worker = new Worker({
    ...{ client: dispatch, executors, shipper, logger, name, queues },
    ...{ concurrency, leaseWaitMs, drainTimeoutMs, flushTimeoutMs },
    ...(overrides.onDrained ? { onDrained: overrides.onDrained } : {}),
  })
  return {
    ...{ config, logger, worker, executors },
    async close() {
      dispatch.close()
      logs.close()
      await egress.close()
    },
  }
}
