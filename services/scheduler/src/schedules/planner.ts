import { toAppError } from '@millrace/errors'
import { type Pool, withTransaction } from '@millrace/postgres'
import { type DueSchedule, lockDueSchedules, type PlannedStep, writePlan } from '../db/plan-ticks.js'
import { parseCadence, planTicks } from '../domain/schedule.js'

const SCHEDULES_A_TURN = 100
const TICKS_A_TURN = 50
const MAX_LATE = 200

/** Turns schedules that have come due into ticks. Returns whether there may be more. */
export async function planDue(pool: Pool): Promise<{ ticks: number; more: boolean }> {
  return withTransaction(pool, async (tx) => {
    const due = await lockDueSchedules(tx, SCHEDULES_A_TURN, MAX_LATE)
    if (due.length === 0) return { ticks: 0, more: false }
    const steps = due.map(stepOf)
    await writePlan(tx, steps)
    const ticks = steps.reduce((sum, step) => sum + step.ticks.length, 0)
    const unfinished = steps.some(({ nextAt }, i) => nextAt !== null && nextAt <= (due[i]?.now ?? nextAt))
    return { ticks, more: unfinished || due.length === SCHEDULES_A_TURN }
  })
}

function stepOf(schedule: DueSchedule): PlannedStep {
  const { id: scheduleId, next_at: nextAt, now } = schedule
  try {
    const cadence = parseCadence(schedule.cron, schedule.timezone)
    const { ticks, next } = planTicks(cadence, schedule.catchup, nextAt, now, TICKS_A_TURN)
    return { scheduleId, ticks, nextAt: next ?? null }
  } catch (error) {
    // It was valid when it was stored: the time zone may be gone since. One that cannot be read must not stop the others.
    const { reason: code, message } = toAppError(error)
    const failure = { tick: nextAt.toISOString(), at: now.toISOString(), code, message }
    return { scheduleId, ticks: [], nextAt: null, failure }
  }
}
