/** The task goes back without an attempt: its peer has failed too often to be asked now. */
export class CircuitOpen extends Error {
  override readonly name = 'CircuitOpen'

  constructor(
    peer: string,
    readonly retryAfterMs: number,
  ) {
    super(`calls to ${peer} fail: the circuit is open`)
  }
}
