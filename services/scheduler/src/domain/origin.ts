/** The task of another run that a run is a child of. */
export interface ParentTask {
  readonly runId: string
  readonly taskId: string
  readonly key: string
  /** Place in a map; -1 = not a map's child. */
  readonly index: number
  /** The attempt that the child stands for. */
  readonly attempt: number
  /** Of the child: 1 for the child of a run that is nobody's child. */
  readonly depth: number
}

/** Where a run came from, when not from outside alone. */
export interface RunOrigin {
  readonly parent?: ParentTask
}
