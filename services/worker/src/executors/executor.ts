import type { scheduler } from '@millrace/contracts'

export type Lease = scheduler.Lease__Output

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogStream = 'stdout' | 'stderr' | 'system'

export interface ExecutionContext {
  /** The resolved `with`; null when there is none. */
  readonly input: unknown
  readonly lease: Lease
  /** Whose lease it is: the artifact service asks. */
  readonly sessionId: string
  /** Counts from 1. */
  readonly attempt: number
  /** Aborts on cancel, timeout, a lost lease or the end of a drain. */
  readonly signal: AbortSignal
  log(level: LogLevel, stream: LogStream, message: string): void
  /** How far the attempt is, 0 to 100 and in words. Call it as often as you like: the latest goes with each heartbeat. */
  progress(percent: number | undefined, message?: string): void
  /** Adds a value to those hidden in this attempt's logs, output and error. */
  mask(value: string): void
  /** The text with every masked value hidden: for text that is cut, since half of a value is not known for one. */
  hide(text: string): string
}

export interface Executor {
  /** The value of `uses` that it serves. */
  readonly uses: string
  /** Answers the output, which must be JSON; throws an ExecutionFailure when it knows why it failed. */
  execute(ctx: ExecutionContext): unknown
}
