import type { scheduler } from '@millrace/contracts'
import { openSpan } from '@millrace/telemetry'
import { CircuitOpen } from '../circuit/circuit-open.js'
import type { ExecutionContext, Executor, Lease, LogLevel, LogStream } from '../executors/executor.js'
import type { LogShipper } from '../logs/log-shipper.js'
import { TaskLog } from '../logs/task-log.js'
import { abandonedTotal } from '../telemetry.js'
import { ExecutionFailure, invalidInput } from './execution-failure.js'
import { Mask } from './masking.js'
import { failed, handedBack, succeeded, traceparentOf } from './result.js'
import { type StopReason, stopFailure } from './stop-reason.js'

export type TaskResult = scheduler.TaskResult

export interface ExecutionHooks {
  /** The executor let go: its slot is free. Comes before `onEnd` unless the execution was stopped. */
  onRelease(execution: Execution): void
  /** The attempt has its outcome, or none to report when the lease was lost. */
  onEnd(execution: Execution, result: TaskResult | undefined): void
}

export interface ProgressReport {
  /** Which call it came from. */
  source: object
  said: scheduler.Progress
}

const longestProgress = 500
const longestTimerMs = 2 ** 31 - 1
/** How long a stopped executor may hold its slot. Built-in ones let go at once. */
const releaseGraceMs = 5_000

/** One attempt under way. It ends exactly once: by its executor, by its time limit or by being stopped. */
export class Execution implements ExecutionContext {
  readonly startedAtMs = Date.now()
  private readonly startedAt = performance.now()
  private readonly secrets: Mask
  private readonly lines: TaskLog
  private controller: AbortController | undefined
  private timer: NodeJS.Timeout | undefined
  private stoppedBy: StopReason | undefined
  private ended = false
  private released = false
  private given: unknown = null
  private traceparent = ''
  private latestProgress: (object & { percent: number | undefined; message: string }) | undefined
  private sentProgress: object | undefined

  constructor(
    readonly lease: Lease,
    private readonly executor: Executor | undefined,
    shipper: LogShipper,
    private readonly hooks: ExecutionHooks,
    readonly sessionId = '',
  ) {
    this.secrets = new Mask(lease.secrets)
    this.lines = new TaskLog(lease, this.secrets, shipper)
  }

  get hasEnded(): boolean {
    return this.ended
  }

  get input(): unknown {
    return this.given
  }

  get attempt(): number {
    return this.lease.attempt
  }

  /** Made on demand: a task that asks for none costs none. */
  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController()
      if (this.stoppedBy) this.controller.abort(stopFailure(this.stoppedBy))
    }
    return this.controller.signal
  }

  // Bound, since executors take them out of the context.
  readonly log = (level: LogLevel, stream: LogStream, message: string): void => this.lines.write(level, stream, message)
  readonly mask = (value: string): void => this.secrets.add(String(value))
  readonly hide = (text: string): string => this.secrets.text(text)

  readonly progress = (percent: number | undefined, message = ''): void => {
    this.latestProgress = { percent, message }
  }

  /** What a heartbeat says of it, if something is new. Masked as late as this: an executor may report at any pace. */
  unsentProgress(): ProgressReport | undefined {
    const { latestProgress: latest } = this
    if (latest === undefined || latest === this.sentProgress) return undefined
    const { percent } = latest
    const message = this.secrets.text(String(latest.message)).slice(0, longestProgress)
    return { source: latest, said: { ...(Number.isFinite(percent) && { percent: percent as number }), message } }
  }

  progressSent(report: ProgressReport): void {
    this.sentProgress = report.source
  }

  start(): void {
    this.lines.write('info', 'system', `attempt ${this.attempt} started`)
    if (this.lease.timeoutMs > 0) {
      const onTimeout = () => this.stop({ kind: 'timeout', timeoutMs: this.lease.timeoutMs })
      this.timer = setTimeout(onTimeout, Math.min(this.lease.timeoutMs, longestTimerMs))
    }
    void this.run()
  }

  /** Ends the attempt now, whatever its executor does; the slot is held until the executor lets go. */
  stop(reason: StopReason): void {
    if (this.ended) return
    this.stoppedBy = reason
    const error = stopFailure(reason)
    if (reason.kind === 'lost') this.end(undefined, 'warn', 'the lease was lost: the result is not reported')
    else if (reason.kind === 'handed-back') this.end(handedBack(this.lease), 'warn', 'stopped and handed back')
    else this.endFailed(error)
    if (this.released) return
    this.timer = setTimeout(() => {
      abandonedTotal.inc()
      this.release()
    }, releaseGraceMs)
    this.controller?.abort(error)
  }

  private async run(): Promise<void> {
    const attributes = {
      'millrace.task': this.lease.key,
      'millrace.uses': this.lease.uses,
      'millrace.run_id': this.lease.runId,
    }
    const span = openSpan('task.execute', attributes, { remote: true, traceparent: this.lease.traceparent })
    this.traceparent = traceparentOf(span.span)
    try {
      const executor = this.executor
      if (!executor) throw unknownExecutor(this.lease.uses)
      this.given = parseInput(this.lease.inputJson)
      const output = await span.run(() => executor.execute(this))
      this.release()
      this.endSucceeded(output)
      span.end()
    } catch (error) {
      this.release()
      this.endFailed(error)
      span.end(error ?? new Error('nothing was thrown'))
    }
  }

  private release(): void {
    if (this.released) return
    this.released = true
    clearTimeout(this.timer)
    this.hooks.onRelease(this)
  }

  private endSucceeded(output: unknown): void {
    if (this.ended) return
    const result = succeeded(this.lease, output, this.secrets)
    this.end(result, 'info', `attempt ${this.attempt} succeeded in ${this.elapsedMs()} ms`)
  }

  private endFailed(error: unknown): void {
    if (this.ended) return
    if (CircuitOpen.is(error)) {
      const { retryAfterMs, message } = error
      const wait = { retryAfterMs, message: this.secrets.text(message) }
      this.end(handedBack(this.lease, wait), 'warn', `handed back for ${retryAfterMs} ms: ${message}`)
      return
    }
    const result = failed(this.lease, error, this.secrets)
    const { class: errorClass, message } = result.error
    this.end(result, 'error', `attempt ${this.attempt} failed after ${this.elapsedMs()} ms (${errorClass}): ${message}`)
  }

  private end(result: TaskResult | undefined, level: LogLevel, line: string): void {
    this.ended = true
    clearTimeout(this.timer)
    this.lines.write(level, 'system', line)
    this.lines.close()
    if (result) {
      result.durationMs = this.elapsedMs()
      result.traceparent = this.traceparent
    }
    this.hooks.onEnd(this, result)
  }

  private elapsedMs(): number {
    return Math.round(performance.now() - this.startedAt)
  }
}

function parseInput(json: string): unknown {
  if (json === '') return null
  try {
    return JSON.parse(json) as unknown
  } catch {
    throw invalidInput('`with` is not JSON')
  }
}

function unknownExecutor(uses: string): ExecutionFailure {
  return new ExecutionFailure(`This worker has no executor ${uses.slice(0, 100)}`, {
    class: 'non_retryable',
    code: 'executor_unknown',
  })
}
