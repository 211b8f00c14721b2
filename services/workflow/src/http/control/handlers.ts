import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../../context.js'
import { listQueues, pauseQueue, updateQueue } from './queues.js'
import { commandWorker, listWorkers } from './workers.js'

export function controlHandlersOf(ctx: AppContext): Record<string, RouteHandler> {
  return {
    listWorkers: listWorkers(ctx),
    pauseWorker: commandWorker(ctx, 'pause'),
    resumeWorker: commandWorker(ctx, 'resume'),
    drainWorker: commandWorker(ctx, 'drain'),
    listQueues: listQueues(ctx),
    pauseQueue: pauseQueue(ctx, true),
    resumeQueue: pauseQueue(ctx, false),
    updateQueue: updateQueue(ctx),
  }
}
