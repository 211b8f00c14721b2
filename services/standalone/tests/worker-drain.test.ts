import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { dispatchDefinition } from '@millrace/contracts'
import { unavailable } from '@millrace/errors'
import { createGrpcServer, type HandlersOf } from '@millrace/grpc'
import { testLogger, testService, testServiceEnv, waitFor } from '@millrace/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { internalPortCount, nameInternalPorts } from '../src/settings.js'
import { ManagedChild } from '../src/supervisor/managed-child.js'

const script = fileURLToPath(new URL('../dist/worker.js', import.meta.url))

/** A scheduler without work that tells the first workers to drain. */
async function startScheduler(drains: number): Promise<{ port: number; registered(): number }> {
  let registrations = 0
  const handlers: HandlersOf<typeof dispatchDefinition> = {
    register: async () => {
      registrations += 1
      const sessionId = String(registrations)
      return { sessionId, sessionSecret: 's', workerId: 'w', leaseMs: 6_000, heartbeatMs: 1_000 }
    },
    leaseTasks: async (_request, { signal, draining }) => {
      const over = AbortSignal.any([signal, draining])
      await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }))
      return { leases: [] }
    },
    heartbeat: async () => ({ lostLeaseIds: [], leaseMs: 6_000 }),
    reportResults: async () => ({ verdicts: [], leases: [] }),
    deregister: async () => ({}),
    work: () => async () => {
      throw unavailable('no_streams', 'Only calls here.')
    },
    async *commands(request, { signal, draining }) {
      if (Number(request.session?.id) <= drains) yield { drain: true }
      const over = AbortSignal.any([signal, draining])
      await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }))
    },
  }
  const server = createGrpcServer({
    service: 'scheduler',
    logger: testLogger,
    auth: { kind: 'internal', identity: testService('scheduler') },
    services: [{ definition: dispatchDefinition, handlers }],
  })
  onTestFinished(() => server.stop(0))
  return { port: await server.start('127.0.0.1', 0), registered: () => registrations }
}

test('a worker that is told to drain ends, and a fresh one takes its place', { timeout: 120_000 }, async () => {
  const scheduler = await startScheduler(2)
  const ends: [why: string, delayMs: number][] = []
  const child = new ManagedChild(
    {
      name: 'worker',
      script,
      services: ['worker'],
      dataDir: tmpdir(),
      maxCrashes: 5,
      execPath: process.execPath,
      hangMs: 15_000,
      onHang: () => undefined,
      onOutput: () => undefined,
    },
    {
      onCrash: (_name, why, delayMs) => ends.push([why, delayMs]),
      onRestarted: () => undefined,
      onCrashLoop: () => undefined,
      onPidChange: () => undefined,
    },
  )
  onTestFinished(() => child.kill())
  const ports = nameInternalPorts(Array.from({ length: internalPortCount }, () => 1))
  await child.start({
    index: 1,
    config: { dataDir: tmpdir() },
    secrets: { worker: testServiceEnv('worker') },
    ports: { ...ports, schedulerPublicGrpc: scheduler.port },
  })
  // Three processes are started one after another; a busy machine takes its time.
  await waitFor(() => scheduler.registered() === 3, { timeoutMs: 60_000 })
  // An end that was asked for is no crash: the wait before the next start does not grow.
  expect(ends).toEqual([
    ['exit code 0', 200],
    ['exit code 0', 200],
  ])
})
