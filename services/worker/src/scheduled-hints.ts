import type { EventBus, Subscription } from '@millrace/events'
import type { Worker } from './worker.js'

/** One group for all workers: each hint reaches one of them. It is only a hint: polls find the work without it. */
export const hearScheduledHints = (bus: EventBus, worker: Worker): Promise<Subscription> =>
  bus.subscribe({
    group: 'workers',
    topics: ['task.scheduled'],
    handler: async () => worker.hint(),
  })
