/** A change that the transition tables do not allow: a defect, never a silent write. */
export class IllegalTransitionError extends Error {
  constructor(
    readonly kind: 'run' | 'task',
    readonly id: string,
    readonly from: string,
    readonly to: string,
  ) {
    super(`illegal ${kind} transition ${from} → ${to} (${id})`)
    this.name = 'IllegalTransitionError'
  }
}
