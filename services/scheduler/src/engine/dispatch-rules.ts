import { EVERY_QUEUE } from '../domain/queue.js'

export interface ReadyTask {
  readonly projectId: string
  readonly queue: string
  readonly uses: string
}

/** What a worker takes, as far as it is about the worker itself. */
export interface Takes {
  /** Null = tasks of every project. */
  readonly projectId: string | null
  readonly executors: readonly string[]
  readonly queues: readonly string[]
}

const servesQueue = (queues: readonly string[], queue: string): boolean =>
  queues.includes(queue) || queues.includes(EVERY_QUEUE)

export const accepts = (worker: Takes, task: ReadyTask): boolean =>
  (worker.projectId === null || worker.projectId === task.projectId) &&
  worker.executors.includes(task.uses) &&
  servesQueue(worker.queues, task.queue)
