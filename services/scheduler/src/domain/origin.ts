/** The task of another run that a run is a child of. */
export interface ParentTask {
  readonly runId: string
  readonly taskId: string
  readonly key: string
  /** Place in a map; -1 = not a map item. */
  readonly index: number
  /** The attempt that the child stands for. */
  readonly attempt: number
  /** Of the child: 1 for the child of a run that is nobody's child. */
  readonly depth: number
}

/** The run that a run repeats. */
export interface RerunSource {
  readonly runId: string
  /** Where it begins again; empty = everything. */
  readonly from: string
  /** One item of the map `from`; -1 = all of it. */
  readonly index: number
  /** Ordinals of tasks whose outputs were taken over; known once the run is created. */
  readonly reused?: readonly number[]
}

/** Where a run came from, when not from outside alone. */
export interface RunOrigin {
  readonly parent?: ParentTask
  readonly rerun?: RerunSource
  /** When the run was to start, if later than it was asked for. */
  readonly startAt?: string
}
