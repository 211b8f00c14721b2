/** The rows that one statement writes, by kind. Everything of a run stands or falls with that run. */
export interface WriteRows {
  births: BirthRow[]
  changes: RunChangeRow[]
  guards: GuardRow[]
  newTasks: NewTaskRow[]
  taskChanges: TaskChangeRow[]
  payloads: PayloadRow[]
  copies: CopyRow[]
  childCopies: ChildCopyRow[]
  largePayloads: LargePayloadRow[]
  queued: QueuedRow[]
  unqueued: UnqueuedRow[]
  newTimers: NewTimerRow[]
  firedTimers: FiredRow[]
  readInbox: FiredRow[]
  letters: LetterRow[]
  droppedTimers: DroppedTimersRow[]
  children: ChildRow[]
  messages: MessageRow[]
  keptSignals: SignalRow[]
  takenSignals: TakenSignalRow[]
  mapOpens: MapOpenRow[]
  mapMarks: MapMarkRow[]
  childRetries: ChildRetryRow[]
  events: EventRow[]
  taskLimits: TaskLimitsRow[]
  /** Into the part of the queue that only the statement picks from which takes slots. */
  queuedLimited: QueuedRow[]
  entering: EnteringRow[]
  leaving: LeavingRow[]
}

export const emptyWriteRows = (): WriteRows => ({
  births: [],
  changes: [],
  guards: [],
  newTasks: [],
  taskChanges: [],
  payloads: [],
  copies: [],
  childCopies: [],
  largePayloads: [],
  queued: [],
  unqueued: [],
  newTimers: [],
  firedTimers: [],
  readInbox: [],
  letters: [],
  droppedTimers: [],
  children: [],
  messages: [],
  keptSignals: [],
  takenSignals: [],
  mapOpens: [],
  mapMarks: [],
  childRetries: [],
  events: [],
  taskLimits: [],
  queuedLimited: [],
  entering: [],
  leaving: [],
})

/** Where a plan of its own costs less than nested loops over what a general one takes for ten rows. */
const LARGE = 160

export const isLarge = (rows: WriteRows): boolean => rows.events.length > LARGE

export interface BirthRow {
  id: string
  projectId: string
  workflowId: string | null
  workflow: string
  version: number
  versionId: string
  status: string
  reason: string | null
  priority: number
  labels: string
  requestedBy: string
  traceparent: string | null
  /** JSON text. */
  origin: string | null
  queueDefaults: string | null
  input: string | null
  output: string | null
  error: string | null
  createdAt: string
  started: boolean
  ended: boolean
}

export interface RunChangeRow {
  runId: string
  expectedRev: number
  status: string
  reason: string | null
  setOutput: boolean
  output: string | null
  setError: boolean
  error: string | null
  started: boolean
  ended: boolean
  reopened: boolean
  /** Retries wait until the run is resumed. */
  dropRetries: boolean
}

export interface GuardRow {
  runId: string
  taskId: string
  token: number
  leaseId: string
  /** Null: whoever holds it. */
  sessionId: string | null
}

export interface NewTaskRow {
  id: string
  runId: string
  projectId: string
  ordinal: number
  key: string
  name: string
  uses: string
  queue: string
  priority: number
  status: string
  attempt: number
  maxAttempts: number
  timeoutMs: number | null
  error: string | null
  leaseId: string | null
  sessionId: string | null
  workerId: string | null
}

export interface TaskChangeRow {
  id: string
  runId: string
  status: string
  attempt: number
  maxAttempts: number
  error: string | null
  attemptFailed: boolean
  /** What it held is given back. Not a column: whether it held anything, only the rows know. */
  mayHoldSlots: boolean
  fence: boolean
  leaseId: string | null
  sessionId: string | null
  workerId: string | null
}

export interface PayloadRow {
  taskId: string
  runId: string
  input: string | null
  output: string | null
}

/** A payload whose output is an artifact; without the text once that has been written. The owner is a task or a run. */
export interface LargePayloadRow extends PayloadRow {
  artifactId: string
  artifactSize: number
}

/** The children of another run's map that succeeded, all but one. Their new ids are prefix, index, suffix. */
export interface ChildCopyRow {
  runId: string
  ordinal: number
  prefix: string
  suffix: string
  fromRunId: string
  fromOrdinal: number
  exceptIndex: number
}

/** A payload that another run's task has. */
export interface CopyRow {
  taskId: string
  runId: string
  fromTaskId: string
}

export interface QueuedRow {
  taskId: string
  runId: string
  projectId: string
  queue: string
  uses: string
  priority: number
}

export interface UnqueuedRow {
  taskId: string
  runId: string
}

export interface DroppedTimersRow {
  taskId: string
  runId: string
  keepTotal: boolean
}

/** The run that a task stands for. */
export interface ChildRow {
  taskId: string
  runId: string
  childRunId: string
}

/** What this run owes another. */
export interface MessageRow {
  runId: string
  toRunId: string
  /** JSON text. */
  command: string
  dedupeKey: string
}

export interface NewTimerRow {
  runId: string
  taskId: string | null
  kind: string
  delayMs: number
}

/** A timer or an inbox row that has done its work. */
export interface FiredRow {
  id: number
  runId: string
}

export interface LetterRow {
  id: string
  runId: string
  taskId: string
  projectId: string
  class: string
  error: string
}

export interface SignalRow {
  id: string
  runId: string
  name: string
  payload: string
}

export interface TakenSignalRow {
  id: string
  runId: string
}

/** A map begins, or is taken up again from its first item: a row that is there keeps its items. */
export interface MapOpenRow {
  runId: string
  ordinal: number
  taskId: string
  projectId: string
  items: string
  total: number
  maxParallel: number
  round: number
  paused: boolean
  ending: string | null
}

export interface MapMarkRow {
  runId: string
  ordinal: number
  ending: string | null
  /** Null: as it is. */
  paused: boolean | null
  /** Set when children of it are retried. */
  round: number | null
  /** Its children are leased only together with slots. */
  limited: boolean
}

export interface ChildRetryRow {
  id: string
  runId: string
  ordinal: number
  /** Attempts that it gets beyond those it had. */
  moreAttempts: number
  input: string | null
  /** False in a run that is paused. */
  queued: boolean
  limited: boolean
}

export interface EventRow {
  position: number
  runId: string
  /** Null for an event of the run itself. */
  taskId: string | null
  topic: string
  source: string
  traceparent: string | null
  /** JSON text of an object with at least one field. */
  data: string
  /** Append the run's startedAt and finishedAt, which only the statement knows. */
  withTimes: boolean
}

export interface TaskLimitsRow {
  taskId: string
  runId: string
  /** JSON text. */
  limits: string
}

/** A run that may begin as soon as its workflow's limit lets it. */
export interface EnteringRow {
  runId: string
  projectId: string
  key: string
  runLimit: number
  onLimit: string
  priority: number
}

/** A run that neither waits for its workflow's limit any more nor counts against it. */
export interface LeavingRow {
  runId: string
}
