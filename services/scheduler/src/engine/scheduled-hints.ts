import type { EventPublisher } from '@millrace/events'
import type { Logger } from '@millrace/logger'
import type { QueuedTask } from './announce.js'

/** Hints in flight beyond this are left out: those that are heard make workers look for all of it. */
const MAX_IN_FLIGHT = 50

/** Tells workers through the broker that tasks wait, wherever those workers are connected. Only a hint: polls find them too. */
export class ScheduledHints {
  private inFlight = 0

  constructor(
    private readonly publisher: EventPublisher,
    private readonly logger: Logger,
  ) {}

  /** One hint for each kind of work, whatever the number of tasks. */
  publish(tasks: readonly QueuedTask[]): void {
    if (tasks.length === 0 || this.inFlight >= MAX_IN_FLIGHT) return
    const kinds = new Map(tasks.map((task) => [`${task.projectId} ${task.queue} ${task.uses}`, task]))
    const events = [...kinds.values()].map((task) => ({
      topic: 'task.scheduled' as const,
      key: task.runId,
      subject: task.taskId,
      data: task,
    }))
    this.inFlight += 1
    this.publisher
      .publish('scheduler', events)
      .catch((error: unknown) => this.logger.debug({ err: error }, 'a hint for workers was lost'))
      .finally(() => {
        this.inFlight -= 1
      })
  }
}
