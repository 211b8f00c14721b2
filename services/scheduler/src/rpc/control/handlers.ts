import type { controlServiceDefinition } from '@millrace/contracts'
import type { HandlersOf } from '@millrace/grpc'
import type { AppContext } from '../../context.js'
import { commandWorker } from './command-worker.js'
import { listQueues } from './list-queues.js'
import { listWorkers } from './list-workers.js'
import { updateQueue } from './update-queue.js'

export function controlHandlers(ctx: AppContext): HandlersOf<typeof controlServiceDefinition> {
  return {
    listWorkers: listWorkers(ctx),
    commandWorker: commandWorker(ctx),
    listQueues: listQueues(ctx),
    updateQueue: updateQueue(ctx),
  }
}
