import { crashPoint } from '@millrace/crash-point'
import { type AppError, toAppError } from '@millrace/errors'
import type { Logger } from '@millrace/logger'
import type { Pool } from '@millrace/postgres'
import { isRefusal, type NewRun } from '../clients/workflow-client.js'
import { type ClaimedTick, claimTicks, postponeTicks, settleTicks, type TickNews } from '../db/fire-ticks.js'
import type { TickFailure } from '../db/schedules.js'
import { scheduleMetrics } from './metrics.js'

const BATCH = 50
/** Longer than a call may take, so that a tick is not tried by two at once; if it were, it would still be one run. */
const CLAIM_MS = 8000
const CALL_TIMEOUT_MS = 5000
const MAX_BACKOFF_MS = 30_000
/** An outage is waited out however long it lasts; a peer that is there and keeps failing on this tick is not. */
const MAX_FAULTS = 20

export interface FiringOptions {
  pool: Pool
  logger: Logger
  createRun: (run: NewRun, timeoutMs: number) => Promise<{ runId: string }>
}

type Answer =
  | { kind: 'started'; tick: ClaimedTick; runId: string }
  | { kind: 'refused'; tick: ClaimedTick; failure: TickFailure }
  | { kind: 'unanswered'; tick: ClaimedTick }

/** Asks for the runs of ticks that are due. `more`: there may be further ones. */
export async function fireDue(options: FiringOptions): Promise<{ fired: number; more: boolean }> {
  const claimed = await claimTicks(options.pool, BATCH, CLAIM_MS)
  if (claimed.length === 0) return { fired: 0, more: false }
  crashPoint('scheduler.tick.claimed')
  const answers = await Promise.all(claimed.map((tick) => fire(options, tick)))
  crashPoint('scheduler.tick.created')
  const open = answers.filter(({ kind }) => kind === 'unanswered').map(({ tick }) => tick)
  const settled = answers.filter((answer) => answer.kind !== 'unanswered')
  if (settled.length > 0) await settleTicks(options.pool, settled.map(keyOf), newsOf(settled))
  crashPoint('scheduler.tick.settled')
  if (open.length > 0) {
    const postponed = open.map((tick) => ({ ...keyOf({ tick }), afterMs: backoffMs(tick.tries) }))
    await postponeTicks(options.pool, postponed)
  }
  return { fired: claimed.length, more: claimed.length === BATCH }
}

const keyOf = ({ tick }: { tick: ClaimedTick }) => ({ scheduleId: tick.schedule_id, tick: tick.tick })
const backoffMs = (tries: number): number => Math.min(MAX_BACKOFF_MS, 250 * 2 ** Math.min(tries - 1, 10))

async function fire({ createRun, logger }: FiringOptions, tick: ClaimedTick): Promise<Answer> {
  const { schedule_id: scheduleId, project_id: projectId, workflow, input: inputJson } = tick
  const at = tick.tick.toISOString()
  try {
    const { runId } = await createRun(
      {
        projectId,
        workflow,
        inputJson,
        labels: { schedule: scheduleId, tick: at },
        dedupeKey: `schedule:${scheduleId}:${at}`,
        requestedBy: `schedule:${scheduleId}`,
      },
      CALL_TIMEOUT_MS,
    )
    scheduleMetrics.ticks.inc({ outcome: 'started' })
    if (tick.origin === 'clock') scheduleMetrics.latenessSeconds.observe((Date.now() - tick.tick.getTime()) / 1000)
    return { kind: 'started', tick, runId }
  } catch (error) {
    const refusal = toAppError(error)
    if (!isFinal(refusal, tick.tries)) {
      scheduleMetrics.ticks.inc({ outcome: 'put_off' })
      logger.warn({ err: error, scheduleId, tick: at, tries: tick.tries }, 'a tick will be tried again')
      return { kind: 'unanswered', tick }
    }
    scheduleMetrics.ticks.inc({ outcome: 'failed' })
    const failure = {
      tick: at,
      at: new Date().toISOString(),
      code: refusal.reason,
      message: refusal.message.slice(0, 1000),
    }
    return { kind: 'refused', tick, failure }
  }
}

const isFinal = (error: AppError, tries: number): boolean =>
  isRefusal(error) || (error.code === 'internal' && tries >= MAX_FAULTS)

/** A schedule's row is written once, whatever the number of its ticks. Backfilled ticks are not its latest. */
function newsOf(answers: readonly Exclude<Answer, { kind: 'unanswered' }>[]): TickNews[] {
  const news = new Map<string, TickNews>()
  for (const answer of answers) {
    const { schedule_id: scheduleId, tick, origin } = answer.tick
    const known = news.get(scheduleId) ?? { scheduleId }
    if (answer.kind === 'refused') {
      if (!known.failure || known.failure.tick < answer.failure.tick) known.failure = answer.failure
    } else if (origin !== 'backfill' && (!known.started || known.started.tick < tick)) {
      known.started = { tick, runId: answer.runId }
    }
    news.set(scheduleId, known)
  }
  return [...news.values()]
}
