/**
 * `deadline` and `memory`: this task asked for too much, and would again. `busy`: the queue is full. `crashed`: the
 * thread ended or threw for another reason. `closed`: the pool has been closed.
 */
export type OffThreadFailure = 'deadline' | 'memory' | 'busy' | 'crashed' | 'closed'

export class OffThreadError extends Error {
  override readonly name = 'OffThreadError'

  constructor(
    readonly failure: OffThreadFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
