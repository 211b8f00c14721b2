import { type ServiceContract, schedulerServiceDefinition, workflowServiceDefinition } from '@millrace/contracts'
import type { Identity } from '@millrace/identity'
import { createLogger } from '@millrace/logger'
import { testService } from '@millrace/testkit'
import { onTestFinished } from 'vitest'
import { createGrpcClient, createGrpcServer, type HandlersOf, type ServerAuth } from '../src/index.js'
import type { OnRefusal } from '../src/note-refusal.js'
import type { StrangerLimits } from '../src/strangers.js'

export const logger = createLogger({ service: 'test', level: 'silent' })

export const identity: Identity = {
  subject: 'user:1',
  userId: '1',
  projectId: 'p1',
  project: 'one',
  role: 'operator',
  admin: false,
  expiresAt: 4_000_000_000,
}

type Workflow = HandlersOf<typeof workflowServiceDefinition>
type Scheduler = HandlersOf<typeof schedulerServiceDefinition>

const unexpected = async (): Promise<never> => {
  throw new Error('not expected')
}

export async function startWorkflow(handlers: Partial<Workflow>) {
  const server = createGrpcServer({
    service: 'test',
    logger,
    auth: { kind: 'internal', identity: testService('workflow') },
    services: [
      {
        definition: workflowServiceDefinition,
        handlers: { createRun: unexpected, createRuns: unexpected, getVersion: unexpected, ...handlers },
      },
    ],
  })
  const port = await server.start('127.0.0.1', 0)
  const address = `127.0.0.1:${port}`
  const client = createGrpcClient(workflowServiceDefinition, address, {
    serviceToken: () => testService('scheduler').tokenFor('workflow'),
  })
  onTestFinished(async () => {
    client.close()
    await server.stop(100)
  })
  return { server, client, address, port }
}

export async function startScheduler(
  handlers: Partial<Scheduler>,
  auth: ServerAuth,
  recheckMs = 5000,
  more: {
    besides?: readonly ServiceContract[]
    strangers?: StrangerLimits
    maxAgeMs?: number
    onRefusal?: OnRefusal
  } = {},
) {
  const server = createGrpcServer({
    service: 'test',
    logger,
    auth,
    recheckMs,
    ...more,
    services: [
      {
        definition: schedulerServiceDefinition,
        handlers: {
          getRun: unexpected,
          getTask: unexpected,
          listTasks: unexpected,
          explainRun: unexpected,
          watchRun: async function* () {},
          ...handlers,
        },
      },
    ],
  })
  const port = await server.start('127.0.0.1', 0)
  const address = `127.0.0.1:${port}`
  const client = createGrpcClient(schedulerServiceDefinition, address, { bearer: 'good', project: 'one' })
  onTestFinished(async () => {
    client.close()
    await server.stop(100)
  })
  return { server, client, address }
}
