import type { EventBus, Subscription } from '@millrace/events'
import type { Worker } from './worker.js'

/** One group for all workers: each ring reaches one of them. A ring is only a hint; polls find the work without it. */
export const startDoorbell = (bus: EventBus, worker: Worker): Promise<Subscription> =>
  bus.subscribe({
    group: 'workers',
    topics: ['task.scheduled'],
    handler: async () => worker.ring(),
  })
