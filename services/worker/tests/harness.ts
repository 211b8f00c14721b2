import { startTelemetry } from '@millrace/telemetry'
import { testLogger, testService, waitFor } from '@millrace/testkit'
import { onTestFinished } from 'vitest'
import { createWorkerService, type Executor, type WorkerConfig, type WorkerService } from '../src/index.js'
import { DispatchServer } from './dispatch-server.js'
import { LogServer } from './log-server.js'

export interface Harness {
  dispatch: DispatchServer
  logs: LogServer
  service: WorkerService
  config: WorkerConfig
}

export interface HarnessOptions extends Partial<WorkerConfig> {
  executors?: Executor[]
  onDrained?: () => void
}

/** A worker between a Dispatch and a Log service, all over real listeners; ended with the test. */
export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const harness = await openHarness(options)
  onTestFinished(harness.close)
  return harness
}

/** For a whole file: whoever opens it closes it. */
export async function openHarness({
  executors,
  onDrained,
  ...overrides
}: HarnessOptions = {}): Promise<Harness & { close(): Promise<void> }> {
  startTelemetry({ serviceName: 'worker' })
  const dispatch = new DispatchServer()
  const logs = new LogServer()
  await dispatch.start()
  await logs.start()
  const config: WorkerConfig = {
    schedulerGrpc: `127.0.0.1:${dispatch.port}`,
    metadataGrpc: `127.0.0.1:${logs.port}`,
    grpc: { host: '127.0.0.1', port: 0 },
    identity: testService('worker'),
    ...{ name: 'worker-under-test', queues: ['default'], concurrency: 4, leaseWaitMs: 500, drainTimeoutMs: 2_000 },
    ...{
      flushTimeoutMs: 2_000,
      egress: { allowPrivate: true, allow: [] },
      shell: { enabled: true },
      exitWithParent: false,
      logLevel: 'silent',
    },
    ...overrides,
  }
  const deps = { logger: testLogger, ...(executors ? { executors } : {}), ...(onDrained ? { onDrained } : {}) }
  const service = createWorkerService(config, deps)
  await service.start()
  const close = async () => {
    await service.stop(0)
    await dispatch.stop()
    await logs.stop()
  }
  return { dispatch, logs, service, config, close }
}

export async function resultOf(dispatch: DispatchServer, taskId: string | undefined) {
  return await waitFor(() => dispatch.result(taskId), { what: `a result of ${taskId}` })
}

/** An executor that runs until it is released or aborted, and counts how many run at once. */
export function gate(uses = 'gate') {
  const open = new Set<() => void>()
  const state = { running: 0, maxRunning: 0, started: 0, aborted: [] as string[] }
  const executor: Executor = {
    uses,
    async execute({ signal }) {
      state.started++
      state.running++
      state.maxRunning = Math.max(state.maxRunning, state.running)
      try {
        await new Promise<void>((resolve, reject) => {
          open.add(resolve)
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
        })
        return 'released'
      } catch (error) {
        state.aborted.push((error as { code: string }).code)
        throw error
      } finally {
        state.running--
      }
    },
  }
  const release = () => {
    for (const resolve of open) resolve()
    open.clear()
  }
  return { executor, state, release }
}
