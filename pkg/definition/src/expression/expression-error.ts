/** The only error that evaluating a template throws; a task that meets it fails with this class. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
  readonly class = 'expression'
  readonly retryable = false
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
