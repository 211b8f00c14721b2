import type { Filter } from 'mongodb'
import { formatLogPosition, invalidPosition, type LogPosition, parseLogPosition } from '../domain/log-position.js'
import type { StoredLine } from './logs.js'

/** Bounds and places come back from clients: what no read gave out is refused before it reaches the server. */
const id = '[0-9A-Za-z/-]{1,160}'
const boundSyntax = new RegExp(`^a(\\d{1,16})(?:\\.h(\\d{1,16}))?(?:\\.(${id}))?$`)
const horizonSyntax = /^\d{1,16}$/
const jobPlaceSyntax = new RegExp(`^j_(\\d{1,10})_(\\d{1,15})_(\\d{1,16})_(${id})$`)
const runPlaceSyntax = new RegExp(`^r_(\\d{1,15})_(\\d{1,16})_(${id})$`)

export interface Bound {
  arrival: number
  /** Within a sweep: the horizon it began with. */
  horizon: number | undefined
  /** The last line given, for two replicas may use one number. */
  id: string | undefined
}

export interface MongoPosition {
  bound: Bound
  seen: LogPosition['seen']
}

export const BEGINNING = 'a0'

export function parsePosition(text: string): MongoPosition {
  const { bound, seen } = parseLogPosition(text)
  const [, arrival, horizon, lineId] = boundSyntax.exec(bound) ?? []
  if (arrival === undefined) throw invalidPosition()
  if (seen !== undefined && !horizonSyntax.test(seen.horizon)) throw invalidPosition()
  return {
    bound: { arrival: Number(arrival), horizon: horizon === undefined ? undefined : Number(horizon), id: lineId },
    seen,
  }
}

/** What was seen matters only to lines that had arrived by then. */
export function positionAt(arrival: number, lineId: string | undefined, seen: LogPosition['seen']): string {
  const needed = seen !== undefined && arrival < Number(seen.horizon)
  const bound = lineId === undefined ? `a${arrival}` : `a${arrival}.${lineId}`
  return formatLogPosition({ bound, seen: needed ? seen : undefined })
}

export function afterPosition({ bound, seen }: MongoPosition, byJob: boolean): Filter<StoredLine> {
  const arrived = laterArrival(bound)
  if (seen === undefined) return arrived
  const unseen = [laterPlace(seen.place, byJob), { arrival: { $gte: Number(seen.horizon) } }]
  return { $and: [arrived, { $or: unseen }] }
}

function laterArrival({ arrival, id: lineId }: Bound): Filter<StoredLine> {
  if (lineId === undefined) return { arrival: { $gt: arrival } }
  return { $or: [{ arrival: { $gt: arrival } }, { arrival, _id: { $gt: lineId } }] }
}

export function upTo({ arrival, id: lineId }: Pick<Bound, 'arrival' | 'id'>): Filter<StoredLine> {
  if (lineId === undefined) return { arrival: { $lte: arrival } }
  return { $or: [{ arrival: { $lt: arrival } }, { arrival, _id: { $lte: lineId } }] }
}

/** After a place in the order in which a job's or a run's lines are read. */
export function laterPlace(place: string, byJob: boolean): Filter<StoredLine> {
  const [, ...found] = (byJob ? jobPlaceSyntax : runPlaceSyntax).exec(place) ?? []
  if (found.length === 0) throw invalidPosition()
  return byJob ? laterInJob(found) : laterInRun(found)
}

function laterInJob([attemptText, time, number, lineId = '']: string[]): Filter<StoredLine> {
  const [attempt, at, seq] = [Number(attemptText), new Date(Number(time)), Number(number)]
  return {
    $or: [
      { attempt: { $gt: attempt } },
      { attempt, at: { $gt: at } },
      { attempt, at, seq: { $gt: seq } },
      { attempt, at, seq, _id: { $gt: lineId } },
    ],
  }
}

function laterInRun([time, number, lineId = '']: string[]): Filter<StoredLine> {
  const at = new Date(Number(time))
  const arrival = Number(number)
  return {
    $or: [{ at: { $gt: at } }, { at, arrival: { $gt: arrival } }, { at, arrival, _id: { $gt: lineId } }],
  }
}

export function placeOf(row: StoredLine, byJob: boolean): string {
  const at = row.at.getTime()
  return byJob ? `j_${row.attempt}_${at}_${row.seq}_${row._id}` : `r_${at}_${row.arrival}_${row._id}`
}
