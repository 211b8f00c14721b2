import type { ErrorClass } from '@millrace/definition'

export interface Failure {
  readonly code: string
  readonly message: string
  readonly class: ErrorClass
  readonly retryable: boolean
}

/** Why a run failed. */
export interface RunFailure extends Failure {
  /** The key of the task whose failure it is; absent for a run's own. */
  readonly task?: string
}

export const failure = (code: string, message: string, errorClass: ErrorClass, retryable = false): Failure => ({
  code,
  message,
  class: errorClass,
  retryable,
})
