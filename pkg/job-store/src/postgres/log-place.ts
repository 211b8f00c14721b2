import { formatLogPosition, invalidPosition, type LogPosition, parseLogPosition } from '../domain/log-position.js'
import type { Conditions } from './list-documents.js'
import type { LogRow } from './logs.js'

/** Bounds and places come back from clients: what no read gave out is refused before it reaches a statement. */
const boundSyntax = /^(\d{1,19})\.(\d{1,18})(?:\.(\d{1,19}))?$/
const horizonSyntax = /^\d{1,19}$/
const jobPlaceSyntax = /^j_(\d{1,10})_(\d{1,15})_(\d{1,16})_([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/
const runPlaceSyntax = /^r_(\d{1,15})_(\d{1,18})$/

const MAX_INT = 2_147_483_647

export interface Bound {
  xid: string
  arrival: string
  /** Within a sweep: the horizon it began with. */
  horizon: string | undefined
}

export interface PostgresPosition {
  bound: Bound
  seen: LogPosition['seen']
}

export const BEGINNING = '0.0'

export function parsePosition(text: string): PostgresPosition {
  const { bound, seen } = parseLogPosition(text)
  const [, xid, arrival, horizon] = boundSyntax.exec(bound) ?? []
  if (xid === undefined || arrival === undefined) throw invalidPosition()
  if (seen !== undefined && !horizonSyntax.test(seen.horizon)) throw invalidPosition()
  return { bound: { xid, arrival, horizon }, seen }
}

/** What was seen matters only to lines that had arrived by then. */
export function positionAt(xid: string, arrival: string | number, seen: LogPosition['seen']): string {
  const needed = seen !== undefined && BigInt(xid) < BigInt(seen.horizon)
  return formatLogPosition({ bound: `${xid}.${arrival}`, seen: needed ? seen : undefined })
}

const laterArrival = '(xid, arrival) > (?::text::xid8, ?::bigint)'

export function addPosition(conditions: Conditions, { bound, seen }: PostgresPosition, byJob: boolean): Conditions {
  // Left out at the beginning: the planner would weigh an index that nothing is gained from.
  if (bound.xid !== '0') conditions.add(laterArrival, bound.xid, bound.arrival)
  if (seen === undefined) return conditions
  const { text, values } = laterPlace(seen.place, byJob)
  return conditions.add(`(${text} or xid >= ?::text::xid8)`, ...values, seen.horizon)
}

/** After a place in the order in which a job's or a run's lines are read. */
export function laterPlace(place: string, byJob: boolean): { text: string; values: unknown[] } {
  const [, ...found] = (byJob ? jobPlaceSyntax : runPlaceSyntax).exec(place) ?? []
  if (found.length === 0) throw invalidPosition()
  if (!byJob) {
    const [at, arrival] = found
    return { text: '(at, arrival) > (?::timestamptz, ?::bigint)', values: [new Date(Number(at)), arrival] }
  }
  const [attempt, at, seq, leaseId] = found
  if (Number(attempt) > MAX_INT) throw invalidPosition()
  return {
    text: '(attempt, at, seq, lease_id) > (?::int, ?::timestamptz, ?::bigint, ?::uuid)',
    values: [attempt, new Date(Number(at)), seq, leaseId],
  }
}

export function placeOf(row: LogRow, byJob: boolean): string {
  const at = row.at.getTime()
  return byJob ? `j_${row.attempt}_${at}_${row.seq}_${row.lease_id}` : `r_${at}_${row.arrival}`
}
