import { type Batcher, createBatcher } from '@millrace/batcher'
import { scheduler } from '@millrace/contracts'
import { crashPoint } from '@millrace/crash-point'
import type { Logger } from '@millrace/logger'
import type { Lease } from '../executors/executor.js'
import { reportSeconds, resultsTotal, staleTotal } from '../telemetry.js'
import { Backoff } from './backoff.js'
import type { DispatchClient, SessionKey } from './dispatch-client.js'
import { isInternal, isRefused, isSessionOver } from './session-error.js'
import type { Slots } from './slots.js'

type TaskResult = scheduler.TaskResult

export interface ReporterOptions {
  client: DispatchClient
  session: SessionKey
  slots: Slots
  logger: Logger
  /** Ends all retrying. */
  signal: AbortSignal
  /** Whether a reply may bring new leases. */
  accepting: () => boolean
  /** A lease that is no longer held needs no report. */
  isHeld: (leaseId: string) => boolean
  onAnswered: (leaseId: string) => void
  onLeases: (leases: Lease[]) => void
  onSessionOver: () => void
  /** A call has ended, well or not: slots that it did not fill may be asked for otherwise. */
  onTurn: () => void
}

const maxBatchBytes = 4 * 1024 * 1024
/** The scheduler takes no more in one report. */
const maxBatchResults = 1_000
const reportTimeoutMs = 10_000
/** After so many internal errors in a row a batch is taken for poisoned rather than unlucky. */
const maxInternalErrors = 5

/** Keeps results until the scheduler has answered for them; one call is under way at a time. */
export class Reporter {
  private readonly batcher: Batcher<TaskResult, undefined>
  private readonly backoff = new Backoff({ initial: 50, max: 2_000 })
  private unsent = 0
  private retrying = false

  constructor(private readonly options: ReporterOptions) {
    this.batcher = createBatcher<TaskResult, undefined>({
      run: async (results) => {
        for (const batch of split(results)) {
          this.unsent -= batch.length
          await this.deliver(batch)
          this.retrying = false
          this.options.onTurn()
        }
        return results.map(() => undefined)
      },
      maxBatch: 500,
    })
  }

  submit(result: TaskResult): void {
    this.unsent += 1
    // `run` answers every failure itself, so the promise never rejects.
    void this.batcher.submit(result)
  }

  /** A report is about to go whose reply may fill what is free: asking apart would cost a call and win nothing. */
  get willAsk(): boolean {
    return this.unsent > 0 && !this.retrying
  }

  idle(): Promise<void> {
    this.backoff.wake()
    return this.batcher.idle()
  }

  private async deliver(results: TaskResult[]): Promise<void> {
    const { signal, isHeld, logger } = this.options
    for (let internalErrors = 0; ; ) {
      const live = results.filter((result) => isHeld(result.leaseId ?? ''))
      if (signal.aborted || live.length === 0) return
      try {
        await this.send(live)
        this.backoff.reset()
        return
      } catch (error) {
        if (signal.aborted) return
        if (isSessionOver(error)) return this.options.onSessionOver()
        if (isInternal(error)) internalErrors += 1
        if (isRefused(error) || internalErrors >= maxInternalErrors) return this.deliverApart(live, error)
        logger.warn({ err: error, results: live.length }, 'results could not be reported yet')
        this.retrying = true
        this.options.onTurn()
        await this.backoff.wait(signal)
      }
    }
  }

  private async send(results: TaskResult[]): Promise<void> {
    const { client, session, slots, accepting } = this.options
    const want = accepting() ? slots.promiseAll() : 0
    const stopTimer = reportSeconds.startTimer()
    let reply: scheduler.ReportResultsResponse__Output
    crashPoint('worker.report.before')
    try {
      reply = await client.reportResults({ session, results, want }, { timeoutMs: reportTimeoutMs })
    } finally {
      slots.settle(want)
      stopTimer()
    }
    crashPoint('worker.report.answered')
    resultsTotal.inc({ via: 'grpc' }, results.length)
    for (const [i, result] of results.entries()) {
      if (reply.verdicts[i] === scheduler.Verdict.VERDICT_STALE) staleTotal.inc()
      this.options.onAnswered(result.leaseId ?? '')
    }
    this.options.onLeases(reply.leases)
  }

  /** A refused batch is halved until the culprit is alone; its task then fails rather than being sent for ever. */
  private async deliverApart(results: TaskResult[], error: unknown): Promise<void> {
    const [first] = results
    if (results.length > 1) {
      const half = Math.ceil(results.length / 2)
      await this.deliver(results.slice(0, half))
      await this.deliver(results.slice(half))
    } else if (first && first.error?.code !== refusedCode) {
      this.options.logger.error({ err: error, taskId: first.taskId }, 'the scheduler refused a result')
      await this.deliver([refusedResult(first)])
    } else if (first) {
      this.options.logger.error({ err: error, taskId: first.taskId }, 'a result was given up')
      this.options.onAnswered(first.leaseId ?? '')
    }
  }
}

const refusedCode = 'result_refused'

function refusedResult({ outputJson: _dropped, ...result }: TaskResult): TaskResult {
  const message = 'The result could not be stored'
  const error = { class: 'validation', code: refusedCode, message, retryable: false }
  return { ...result, outcome: scheduler.Outcome.OUTCOME_FAILED, error }
}

/** Below the limits of one message; an output that alone is larger travels alone. */
function* split(results: TaskResult[]): Generator<TaskResult[]> {
  let batch: TaskResult[] = []
  let bytes = 0
  for (const result of results) {
    const size = (result.outputJson?.length ?? 0) * 3 + (result.error?.message?.length ?? 0) * 3 + 512
    if (batch.length > 0 && (bytes + size > maxBatchBytes || batch.length === maxBatchResults)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(result)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
