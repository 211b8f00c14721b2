import { parseDuration } from '@millrace/definition'
import { unprocessable } from '@millrace/errors'
import { Cron } from 'croner'

export const catchups = ['none', 'last', 'all'] as const
/** What becomes of ticks that came while nobody was there to see them. */
export type Catchup = (typeof catchups)[number]

/** The times at which a schedule comes due. */
export interface Cadence {
  /** The first tick after this time. */
  next(after: Date): Date | undefined
  /** The last tick at or before this time. */
  latest(upTo: Date): Date | undefined
}

const maxCronLength = 200

const nicknames: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
])

/**
 * Five fields, six with seconds first, a nickname, or `@every <duration>`. Where clocks change, as Vixie cron does: a single time of day (`30 2 * * *`)
 * that the gap swallows comes when the gap ends, and one that the clock shows twice comes once, the first time; what
 * repeats within the day, such as every quarter of an hour, goes on by real time.
 */
export function parseCadence(cron: string, timezone: string): Cadence {
  if (!isTimezone(timezone)) throw refusal('invalid_timezone', '/timezone', 'must name a time zone, like Europe/Berlin')
  if (cron.startsWith(everyPrefix)) return interval(cron.slice(everyPrefix.length))
  const pattern = patternOf(nicknames.get(cron) ?? cron, timezone)
  if (pattern.nextRun(referenceDate) === null) throw refusal('invalid_cron', '/cron', 'never comes due')
  return {
    next: (after) => pattern.nextRun(after) ?? undefined,
    // Ticks are whole seconds, and the library looks before the second that it is given.
    latest: (upTo) => pattern.previousRuns(1, new Date((Math.floor(upTo.getTime() / 1000) + 1) * 1000))[0],
  }
}

const everyPrefix = '@every '
const minIntervalMs = 1_000

/** Multiples of the interval since 1970 in UTC: whoever asks, whenever, gets the same ticks. */
function interval(text: string): Cadence {
  const ms = parseDuration(text)
  if (ms === undefined || ms < minIntervalMs || ms % 1_000 !== 0) {
    throw refusal('invalid_interval', '/every', 'must be a duration of whole seconds, like 15m')
  }
  const floor = (time: Date) => Math.floor(time.getTime() / ms) * ms
  return { next: (after) => new Date(floor(after) + ms), latest: (upTo) => new Date(floor(upTo)) }
}

/** Any date will do to see whether there is a tick at all: patterns repeat within a calendar's cycle. */
const referenceDate = new Date('2024-01-01T00:00:00.000Z')

function patternOf(cron: string, timezone: string): Cron {
  // The library also takes nicknames and dates, which have other fields than the contract says.
  const fields = cron.trim().split(/[ \t]+/)
  if (cron.length > maxCronLength || (fields.length !== 5 && fields.length !== 6)) {
    throw refusal(
      'invalid_cron',
      '/cron',
      'must have five fields, six with seconds first, or be one of @hourly @daily @weekly @monthly @yearly',
    )
  }
  try {
    return new Cron(fields.join(' '), { timezone, mode: '5-or-6-parts', paused: true })
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : 'not understood'
    throw refusal('invalid_cron', '/cron', reason)
  }
}

/** Names only: an offset such as +01:00 knows no daylight saving, and not every runtime takes it. */
function isTimezone(timezone: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(timezone)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone })
    return true
  } catch {
    return false
  }
}

const refusal = (reason: string, path: string, message: string) =>
  unprocessable(reason, `The schedule is not valid: ${path.slice(1)} ${message}.`, [{ path, code: reason, message }])

export interface PlannedTick {
  readonly at: Date
  /** Caught up after downtime. */
  readonly late: boolean
}

export interface TickPlan {
  readonly ticks: readonly PlannedTick[]
  /** The first tick that this plan leaves open. */
  readonly next: Date | undefined
  /** Ticks that get no run: the first and the last of them. */
  readonly missed?: { readonly first: Date; readonly last: Date }
}

const minGraceMs = 2000
const maxGraceMs = 60_000

/**
 * How late a tick may be and still count as on time: a slow moment or a restart is no downtime. Half of the time to the
 * tick after it, so that what comes often is not made up for at once.
 */
function graceMs(tick: Date, following: Date | undefined): number {
  const period = following ? following.getTime() - tick.getTime() : Number.POSITIVE_INFINITY
  return Math.min(Math.max(period / 2, minGraceMs), maxGraceMs)
}

/** The ticks from `next` to `now` that are to have runs. With `all` at most `max`, the oldest first; call again then. */
export function planTicks(cadence: Cadence, catchup: Catchup, next: Date, now: Date, max: number): TickPlan {
  const oldestOnTime = new Date(now.getTime() - maxGraceMs)
  // With `none` and `last` nothing older can matter, so a year of missed seconds costs no more than a minute of them.
  const skips = catchup !== 'all' && next < oldestOnTime
  let tick = skips ? cadence.next(new Date(oldestOnTime.getTime() - 1)) : next
  const ticks: PlannedTick[] = []
  let missed = skips
  while (tick && tick <= now && (catchup !== 'all' || ticks.length < max)) {
    const following = cadence.next(tick)
    const late = now.getTime() - tick.getTime() > graceMs(tick, following)
    if (!late || catchup === 'all') ticks.push({ at: tick, late })
    else missed = true
    tick = following
  }
  if (catchup === 'last' && ticks.length === 0) {
    const latest = cadence.latest(now)
    if (latest && latest >= next) ticks.push({ at: latest, late: true })
  }
  return { ticks, next: tick, ...(missed ? missedOf(cadence, next, now, ticks[0]?.at) : {}) }
}

/** What `last` makes up for is not missed; what lies before it is. */
function missedOf(cadence: Cadence, first: Date, now: Date, planned: Date | undefined): Pick<TickPlan, 'missed'> {
  const last = cadence.latest(planned ? new Date(planned.getTime() - 1000) : now)
  return last === undefined || last < first ? {} : { missed: { first, last } }
}

/** Ticks of [from, to), in order. */
export function* ticksBetween(cadence: Cadence, from: Date, to: Date): Generator<Date> {
  let tick = cadence.next(new Date(from.getTime() - 1))
  while (tick && tick < to) {
    yield tick
    tick = cadence.next(tick)
  }
}
