import { scheduler } from '@millrace/contracts'
import type { AnyNewEvent, EventPublisher } from '@millrace/events'
import type { Logger } from '@millrace/logger'
import type { TaskResult } from '../execution/execution.js'
import type { Lease } from '../executors/executor.js'
import { resultsTotal } from '../telemetry.js'

export interface PublishedResultsOptions {
  publisher: EventPublisher
  workerId: string
  sessionId: string
  logger: Logger
  /** The broker has it. */
  onPublished: (leaseId: string) => void
  /** The broker may have it or not: the scheduler is told directly, and takes whichever comes first. */
  onFailed: (result: TaskResult) => void
}

/** A larger output would hold up everybody's events: it goes by dispatch. */
const maxOutputLength = 512 * 1024
const answerWithinMs = 2_000
/** After a failure results go by dispatch for so long, then one tries the broker again. */
const restMs = 3_000

/** Results sent over Kafka: safe as soon as the broker has them, even with every scheduler down. */
export class PublishedResults {
  private restUntil = 0
  private readonly inFlight = new Set<Promise<void>>()

  constructor(private readonly options: PublishedResultsOptions) {}

  /** Whether it is published. Not what only a report can say, nor large outputs, and nothing while the broker is away. */
  take(lease: Lease, result: TaskResult): boolean {
    if (result.outcome === scheduler.Outcome.OUTCOME_HANDED_BACK || result.retryAfterMs !== undefined) return false
    if ((result.outputJson?.length ?? 0) > maxOutputLength || performance.now() < this.restUntil) return false
    const sending = this.send(lease, result).finally(() => this.inFlight.delete(sending))
    this.inFlight.add(sending)
    return true
  }

  async idle(): Promise<void> {
    while (this.inFlight.size > 0) await Promise.all(this.inFlight)
  }

  private async send(lease: Lease, result: TaskResult): Promise<void> {
    const { publisher, workerId, logger, onPublished, onFailed } = this.options
    try {
      await withinTime(publisher.publish(`worker:${workerId}`, [this.eventOf(lease, result)]))
      resultsTotal.inc({ via: 'kafka' })
      onPublished(lease.leaseId)
    } catch (error) {
      if (performance.now() >= this.restUntil) {
        logger.warn({ err: error }, 'Kafka does not take results; they go to the scheduler directly')
      }
      this.restUntil = performance.now() + restMs
      onFailed(result)
    }
  }

  private eventOf(lease: Lease, result: TaskResult): AnyNewEvent {
    const { taskId, runId, projectId, token, leaseId, attempt } = lease
    const { sessionId } = this.options
    const durationMs = Number(result.durationMs ?? 0)
    const facts = { taskId, runId, projectId, token: Number(token), leaseId, sessionId, durationMs, attempt }
    const carried = { key: runId, subject: taskId, ...(lease.traceparent ? { traceparent: lease.traceparent } : {}) }
    if (result.outcome === scheduler.Outcome.OUTCOME_SUCCEEDED) {
      return { topic: 'task.completed', ...carried, data: { ...facts, outputJson: result.outputJson ?? '' } }
    }
    const { error } = result
    const told = error
      ? {
          code: error.code ?? '',
          message: error.message ?? '',
          class: error.class ?? '',
          retryable: error.retryable ?? false,
        }
      : null
    return { topic: 'task.failed', ...carried, data: { ...facts, error: told } }
  }
}

async function withinTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer of the broker within ${answerWithinMs} ms`)), answerWithinMs)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
