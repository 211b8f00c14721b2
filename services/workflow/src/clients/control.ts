import { controlServiceDefinition, type control as proto } from '@millrace/contracts'
import { internal } from '@millrace/errors'
import { createGrpcClient } from '@millrace/grpc'
import type { ServiceIdentity } from '@millrace/identity'
import type { Logger } from '@millrace/logger'
import { asOutage } from './scheduler.js'

export type ProtoWorker = proto.Worker__Output
export type SharedWorkers = proto.SharedWorkers__Output
export type WorkerTotals = proto.WorkerTotals__Output
export type ProtoQueue = proto.Queue__Output

/** The scheduler owns workers' sessions and queues' settings; what it refuses is refused in its words. */
export interface ControlGateway {
  listWorkers(
    request: proto.ListWorkersRequest,
  ): Promise<{ workers: ProtoWorker[]; shared: SharedWorkers; totals: WorkerTotals }>
  commandWorker(request: proto.CommandWorkerRequest): Promise<ProtoWorker>
  listQueues(request: proto.ListQueuesRequest): Promise<{ queues: ProtoQueue[]; waiting: number }>
  updateQueue(request: proto.UpdateQueueRequest): Promise<ProtoQueue>
  close(): void
}

export function createControlGateway(address: string, identity: ServiceIdentity, logger: Logger): ControlGateway {
  const client = createGrpcClient(controlServiceDefinition, address, {
    ...identity.credentialsFor('scheduler'),
    logger,
  })
  return {
    async listWorkers(request) {
      const { workers, shared, totals } = await ask(client.listWorkers(request))
      // A scheduler of the release before does not say.
      return {
        workers,
        shared: shared ?? { alive: 0, slots: 0, used: 0 },
        totals: totals ?? { active: 0, lost: 0, slots: 0, used: 0 },
      }
    },
    commandWorker: async (request) => present((await ask(client.commandWorker(request))).worker),
    listQueues: (request) => ask(client.listQueues(request)),
    updateQueue: async (request) => present((await ask(client.updateQueue(request))).queue),
    close: () => client.close(),
  }
}

async function ask<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw asOutage(error)
  }
}

function present<T>(found: T | null): T {
  if (found === null) throw internal('The scheduler answered without what it was asked for.')
  return found
}
