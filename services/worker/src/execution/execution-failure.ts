import type { ErrorClass } from '@millrace/definition/error-class'

export interface ExecutionFailureOptions {
  class: ErrorClass
  /** Stable and machine-readable. */
  code: string
  /** Only where the class alone does not decide. */
  retryable?: boolean
  /** The peer asked not to be called again sooner. */
  retryAfterMs?: number | undefined
  cause?: unknown
}

/** What an executor throws when it knows why it failed. Anything else that is thrown becomes class `unknown`. */
export class ExecutionFailure extends Error {
  override readonly name = 'ExecutionFailure'
  readonly class: ErrorClass
  readonly code: string
  readonly retryable: boolean | undefined
  readonly retryAfterMs: number | undefined

  constructor(message: string, options: ExecutionFailureOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.class = options.class
    this.code = options.code
    this.retryable = options.retryable
    this.retryAfterMs = options.retryAfterMs
  }
}

export const invalidInput = (message: string): ExecutionFailure =>
  new ExecutionFailure(message, { class: 'validation', code: 'input_invalid' })

export const invalidOutput = (message: string, cause?: unknown): ExecutionFailure =>
  new ExecutionFailure(message, { class: 'validation', code: 'output_invalid', cause })
