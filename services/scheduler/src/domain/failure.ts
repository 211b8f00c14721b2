import type { ErrorClass } from '@millrace/definition'

export interface Failure {
  readonly code: string
  readonly message: string
  readonly class: ErrorClass
  readonly retryable: boolean
  /** Of a map: the place of the first item that failed. */
  readonly index?: number
}

/** Why a run failed. */
export interface RunFailure extends Failure {
  /** The key of the task whose failure it is; absent for a run's own. */
  readonly task?: string
}

/** Without what is known of runs and maps alone. */
export const bareFailure = ({ code, message, class: kind, retryable }: Failure): Failure => ({
  code,
  message,
  class: kind,
  retryable,
})

export const failure = (code: string, message: string, errorClass: ErrorClass, retryable = false): Failure => ({
  code,
  message,
  class: errorClass,
  retryable,
})
