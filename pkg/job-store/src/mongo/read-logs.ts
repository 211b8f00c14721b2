import type { Collection, Filter } from 'mongodb'
import { formatLogPosition } from '../domain/log-position.js'
import type { LogPage, LogScope, LogSkip, Skipped, TailPage, TailRequest } from '../port.js'
import type { ArrivalClock } from './arrival-clock.js'
import { afterPosition, BEGINNING, laterPlace, parsePosition, placeOf, positionAt, upTo } from './log-place.js'
import { type StoredLine, scopeConditions, toLine } from './logs.js'

/** Lines younger than this may still be joined by others that were numbered before them. */
const SETTLE_US = 8_000_000

const horizonNow = async (clock: ArrivalClock): Promise<number> => Math.max(0, (await clock.now()) - SETTLE_US)

/** `next` is `horizon|place`: a read of several pages keeps the horizon of its first. */
export async function readLogs(
  logs: Collection<StoredLine>,
  clock: ArrivalClock,
  scope: LogScope,
  page: { limit: number; next?: string; after?: string },
): Promise<LogPage> {
  const byJob = scope.jobId !== undefined
  const after = parsePosition(page.after ?? BEGINNING)
  const conditions = [scopeConditions(scope), afterPosition(after, byJob)]
  const [begun, place] = page.next?.split('|') ?? []
  if (place !== undefined) conditions.push(laterPlace(place, byJob))
  const horizon = begun ?? String(await horizonNow(clock))
  const rows = await logs
    .find({ $and: conditions })
    .sort(byJob ? { attempt: 1, at: 1, seq: 1, _id: 1 } : { at: 1, arrival: 1, _id: 1 })
    .limit(Math.trunc(page.limit))
    .toArray()
  const bound = positionAt(after.bound.arrival, after.bound.id, undefined)
  const lines = rows.map((row) => ({
    ...toLine(row),
    position: formatLogPosition({ bound, seen: { horizon, place: placeOf(row, byJob) } }),
  }))
  const last = rows.at(-1)
  const more = last !== undefined && rows.length >= page.limit
  return { lines, next: more ? `${horizon}|${placeOf(last, byJob)}` : null }
}

/**
 * Lines by arrival. Appends are numbered when they begin and seen when they end, so a line may appear before one already
 * given, but only within the time an append may take: lines above that horizon are given at once and given again by the
 * next sweep. A sweep of several pages keeps the horizon of its first.
 */
export async function tailLogs(
  logs: Collection<StoredLine>,
  clock: ArrivalClock,
  scope: LogScope,
  page: TailRequest,
): Promise<TailPage> {
  const from = parsePosition(page.from ?? BEGINNING)
  const { seen } = from
  const horizon = from.bound.horizon ?? (await horizonNow(clock))
  const until = page.until === undefined ? undefined : parsePosition(page.until).bound
  const end = until === undefined ? positionAt(horizon, undefined, seen) : positionAt(until.arrival, until.id, seen)
  const begun = positionAt(from.bound.arrival, from.bound.id, seen)
  const rows = await logs
    .find({
      $and: [
        scopeConditions(scope),
        afterPosition(from, scope.jobId !== undefined),
        ...(until === undefined ? [] : [upTo(until)]),
      ],
    })
    .sort({ arrival: 1, _id: 1 })
    .limit(Math.trunc(page.limit))
    .toArray()
  const lines = rows.map((row) => {
    const mayRepeat = row.arrival >= horizon
    return { ...toLine(row), mayRepeat, position: mayRepeat ? end : positionAt(row.arrival, row._id, seen) }
  })
  const last = rows.at(-1)
  if (last === undefined || rows.length < page.limit) return { lines, begun, next: null, position: end }
  const next = formatLogPosition({ bound: `a${last.arrival}.h${horizon}.${last._id}`, seen })
  return { lines, begun, next, position: lines.at(-1)?.position ?? end }
}

/** Unsettled lines are never skipped over; they count among those that are kept. */
export async function skipLogs(
  logs: Collection<StoredLine>,
  clock: ArrivalClock,
  scope: LogScope,
  { keep, from, settled }: LogSkip,
): Promise<Skipped> {
  const start = parsePosition(from ?? BEGINNING)
  const conditions: Filter<StoredLine>[] = [scopeConditions(scope), afterPosition(start, scope.jobId !== undefined)]
  const horizon = settled ? await horizonNow(clock) : Number.MAX_SAFE_INTEGER
  const unsettled = settled ? await logs.countDocuments({ $and: [...conditions, { arrival: { $gte: horizon } }] }) : 0
  const [last] = await logs
    .find({ $and: [...conditions, { arrival: { $lt: horizon } }] })
    .sort({ arrival: -1, _id: -1 })
    .skip(Math.max(0, Math.trunc(keep) - unsettled))
    .limit(1)
    .toArray()
  if (last === undefined) return { position: undefined, count: 0 }
  const position = positionAt(last.arrival, last._id, start.seen)
  if (from === undefined) return { position, count: 0 }
  const counted = [...conditions, upTo({ arrival: last.arrival, id: last._id })]
  return { position, count: await logs.countDocuments({ $and: counted }) }
}
