const made = new WeakSet<object>()

/** The task goes back without an attempt: its peer has failed too often to be asked now. */
export class CircuitOpen extends Error {
  override readonly name = 'CircuitOpen'

  constructor(
    peer: string,
    readonly retryAfterMs: number,
  ) {
    super(`calls to ${peer} fail: the circuit is open`)
    made.add(this)
  }

  /** Told without touching it: what an executor throws may be a proxy that throws when it is looked at. */
  static is(thrown: unknown): thrown is CircuitOpen {
    return typeof thrown === 'object' && thrown !== null && made.has(thrown)
  }
}
