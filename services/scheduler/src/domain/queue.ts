/** Stands for every queue in a worker's list: only the platform's own worker may say it. */
export const EVERY_QUEUE = '*'

/** Whose queue is asked, and for how much. `max: 0` asks for nothing. */
export interface DequeueRequest {
  sessionId: string | null
  workerId: string | null
  /** Null = tasks of every project. */
  projectId: string | null
  executors: readonly string[]
  queues: readonly string[]
  max: number
  virtualTimes: VirtualTimes
}

/** Whose turn it is: how far each project is ahead of the one served least, and within a project each weighted queue. */
export interface VirtualTimes {
  projects: readonly string[]
  ahead: readonly number[]
  /** One entry for each share of a project: a weighted queue, or '' for all its other queues together. */
  shares: { projects: readonly string[]; queues: readonly string[]; ahead: readonly number[] }
}

export const noVirtualTimes: VirtualTimes = { projects: [], ahead: [], shares: { projects: [], queues: [], ahead: [] } }

export const noDequeue: DequeueRequest = {
  sessionId: null,
  workerId: null,
  projectId: null,
  executors: [],
  queues: [],
  max: 0,
  virtualTimes: noVirtualTimes,
}

/** Where a row of the queue stands: `parked` rows wait for a limit, and no dequeue walks over them. */
export const QueuePart = { plain: 0, limited: 1, parked: 2 } as const
