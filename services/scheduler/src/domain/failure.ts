import type { ErrorClass } from '@millrace/definition'

export interface Failure {
  readonly code: string
  readonly message: string
  readonly class: ErrorClass
  readonly retryable: boolean
}

export const failure = (code: string, message: string, errorClass: ErrorClass, retryable = false): Failure => ({
  code,
  message,
  class: errorClass,
  retryable,
})
