import type { RowSet } from './columns.js'
import type { ChildTimerRow } from './make-children.js'

/** The changes of maps' children that one statement writes. */
export interface ChildRows {
  changes: ChildChangeRow[]
  timers: ChildTimerRow[]
  /** Timers for which there was nothing left to do. */
  fired: number[]
  /** Attempts fail that have timers of their own: those go with them. */
  dropsTimers: boolean
  /** Some of them may hold slots, to be given back. */
  mayHoldSlots: boolean
}

export interface ChildChangeRow {
  id: string
  runId: string
  ordinal: number
  /** The row must have this status, and this lease where one is named; else this change is void. */
  expected: string
  token: number | null
  leaseId: string | null
  /** Null: whoever holds it. */
  sessionId: string | null
  status: string
  /** Null: as it is. */
  attempt: number | null
  error: string | null
  errorClass: string | null
  attemptFailed: boolean
  /** Raise the token so that no report of an earlier lease is accepted. */
  fence: boolean
  output: string | null
  outputBytes: number
  input: string | null
  /** Of its own, as JSON text. */
  limits: string | null
  /** It is leased only together with slots. */
  limited: boolean
  letterId: string | null
  retryDelayMs: number
  /** The timer that brought this about: it must stand, and goes with the change. */
  timerId: number | null
  /** The topic of the worker's own words. */
  claim: string | null
  claimSource: string | null
  /** The output as the claim tells it. */
  claimOutput: string | null
  durationMs: number
}

export const childChangeSet: RowSet<ChildChangeRow> = {
  alias: 'c',
  columns: [
    ['id', 'uuid'],
    ['runId', 'uuid'],
    ['ordinal', 'int'],
    ['expected', 'text'],
    ['token', 'bigint'],
    ['leaseId', 'uuid'],
    ['sessionId', 'uuid'],
    ['status', 'text'],
    ['attempt', 'int'],
    ['error', 'text'],
    ['errorClass', 'text'],
    ['attemptFailed', 'boolean'],
    ['fence', 'boolean'],
    ['output', 'text'],
    ['outputBytes', 'int'],
    ['input', 'text'],
    ['limits', 'text'],
    ['limited', 'boolean'],
    ['letterId', 'uuid'],
    ['retryDelayMs', 'double precision'],
    ['timerId', 'bigint'],
    ['claim', 'text'],
    ['claimSource', 'text'],
    ['claimOutput', 'text'],
    ['durationMs', 'double precision'],
  ],
}

export const childTimerSet: RowSet<ChildTimerRow> = {
  alias: 't',
  columns: [
    ['taskId', 'uuid'],
    ['kind', 'text'],
    ['delayMs', 'double precision'],
  ],
}
