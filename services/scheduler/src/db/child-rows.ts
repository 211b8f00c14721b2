import { bigint, boolean, double, int, nullable, type RowOf, text, uuid } from './columns.js'
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

export const childChangeSet = {
  alias: 'c',
  columns: {
    id: uuid,
    runId: uuid,
    ordinal: int,
    /** The row must have this status, and this lease where one is named; else this change is void. */
    expected: text,
    token: nullable(bigint),
    leaseId: nullable(uuid),
    /** Null: whoever holds it. */
    sessionId: nullable(uuid),
    status: text,
    /** Null: as it is. */
    attempt: nullable(int),
    error: nullable(text),
    errorClass: nullable(text),
    attemptFailed: boolean,
    /** Raise the token so that no report of an earlier lease is accepted. */
    fence: boolean,
    output: nullable(text),
    outputBytes: int,
    input: nullable(text),
    /** Of its own, as JSON text. */
    limits: nullable(text),
    /** It is leased only together with slots. */
    limited: boolean,
    deadLetterId: nullable(uuid),
    retryDelayMs: double,
    /** The timer that brought this about: it must stand, and goes with the change. */
    timerId: nullable(bigint),
    /** The topic under which the worker's reported result is published. */
    claim: nullable(text),
    reportSource: nullable(text),
    /** The output as that event has it. */
    reportOutput: nullable(text),
    durationMs: double,
  },
}

export type ChildChangeRow = RowOf<typeof childChangeSet.columns>
