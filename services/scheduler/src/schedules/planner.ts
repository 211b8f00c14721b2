import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { crashPoint } from '@millrace/crash-point'
import { toAppError } from '@millrace/errors'
import { type Pool, withTransaction } from '@millrace/postgres'
import { LRUCache } from 'lru-cache'
import { alertMetrics } from '../alerts/metrics.js'
import { publishMissedTicks } from '../db/alerts.js'
import { type DueSchedule, lockDueSchedules, type PlannedStep, writePlan } from '../db/plan-ticks.js'
import { type Cadence, parseCadence, planTicks } from '../domain/schedule.js'

const SCHEDULES_A_TURN = 200
const TICKS_A_TURN = 20
const MAX_LATE = 200
/** A step in a time zone costs about 0.3 ms; leases and reports share the thread and must not wait for many. */
const SLICE_MS = 5

/** Turns schedules that have come due into ticks. Returns whether there may be more. */
export async function planDue(pool: Pool): Promise<{ ticks: number; more: boolean }> {
  return withTransaction(pool, async (tx) => {
    const due = await lockDueSchedules(tx, SCHEDULES_A_TURN, MAX_LATE)
    if (due.length === 0) return { ticks: 0, more: false }
    const steps = await inSlices(due, stepOf)
    await writePlan(tx, steps)
    const missed = steps.flatMap((step) => step.missed ?? [])
    await publishMissedTicks(tx, missed)
    crashPoint('scheduler.tick.planned')
    alertMetrics.missedTicks.inc({ reason: 'downtime' }, missed.length)
    const ticks = steps.reduce((sum, step) => sum + step.ticks.length, 0)
    const unfinished = steps.some(({ nextAt }, i) => nextAt !== null && nextAt <= (due[i]?.now ?? nextAt))
    return { ticks, more: unfinished || due.length === SCHEDULES_A_TURN }
  })
}

async function inSlices<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const results: R[] = []
  let end = performance.now() + SLICE_MS
  for (const item of items) {
    results.push(work(item))
    if (performance.now() < end) continue
    await yieldToOthers()
    end = performance.now() + SLICE_MS
  }
  return results
}

const cadences = new LRUCache<string, Cadence>({ max: 2000 })

function cadenceOf({ cron, timezone }: DueSchedule): Cadence {
  const key = `${timezone} ${cron}`
  const known = cadences.get(key)
  if (known) return known
  const made = parseCadence(cron, timezone)
  cadences.set(key, made)
  return made
}

function stepOf(schedule: DueSchedule): PlannedStep {
  const { id: scheduleId, next_at: nextAt, now } = schedule
  try {
    const { ticks, next, missed } = planTicks(cadenceOf(schedule), schedule.catchup, nextAt, now, TICKS_A_TURN)
    return {
      ...{ scheduleId, ticks, nextAt: next ?? null },
      ...(missed ? { missed: { scheduleId, reason: 'downtime' as const, ...missed } } : {}),
    }
  } catch (error) {
    // It was valid when it was stored: the time zone may be gone since. One that cannot be read must not stop the others.
    const { reason: code, message } = toAppError(error)
    const failure = { tick: nextAt.toISOString(), at: now.toISOString(), code, message }
    return { scheduleId, ticks: [], nextAt: null, failure }
  }
}
