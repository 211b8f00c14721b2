import { crashPoint } from '@millrace/crash-point'
import type { Logger } from '@millrace/logger'
import { type Pool, withTransaction } from '@millrace/postgres'
import { alertMetrics } from '../alerts/metrics.js'
import { type CreateRuns, REQUEST_CLAIM_MS, type RunAnswer, requestRuns } from '../clients/request-run.js'
import type { NewRun } from '../clients/workflow-client.js'
import { type MissedTicks, publishMissedTicks } from '../db/alerts.js'
import { type ClaimedTick, claimTicks, postponeTicks, settleTicks, type TickResult } from '../db/fire-ticks.js'
import type { TickFailure } from '../db/schedules.js'
import { scheduleMetrics } from './metrics.js'

/** One call and one commit of the workflow service for so many, within the largest message of gRPC. */
const BATCH = { limit: 250, maxBytes: 4 * 1024 * 1024, claimMs: REQUEST_CLAIM_MS }

export interface FiringOptions {
  pool: Pool
  logger: Logger
  createRuns: CreateRuns
}

type Answer =
  | { kind: 'started'; tick: ClaimedTick; runId: string }
  | { kind: 'refused'; tick: ClaimedTick; failure: TickFailure }
  | { kind: 'unanswered'; tick: ClaimedTick; afterMs: number }

/** Asks for the runs of ticks that are due. `more`: there may be further ones. */
export async function fireDue(options: FiringOptions): Promise<{ fired: number; more: boolean }> {
  const claimed = await claimTicks(options.pool, BATCH)
  if (claimed.length === 0) return { fired: 0, more: false }
  crashPoint('scheduler.tick.claimed')
  const replies = await requestRuns(
    options.createRuns,
    claimed.map((tick) => ({ run: runOf(tick), tries: tick.tries })),
  )
  const answers = claimed.flatMap((tick, i) => (replies[i] ? answerOf(options.logger, tick, replies[i]) : []))
  crashPoint('scheduler.tick.created')
  const open = answers.filter((answer) => answer.kind === 'unanswered')
  const settled = answers.filter((answer) => answer.kind !== 'unanswered')
  if (settled.length > 0) await settle(options.pool, settled)
  crashPoint('scheduler.tick.settled')
  if (open.length > 0) {
    const postponed = open.map((answer) => ({ ...keyOf(answer), afterMs: answer.afterMs }))
    await postponeTicks(options.pool, postponed)
  }
  return { fired: claimed.length, more: isFull(claimed) }
}

const isFull = (claimed: readonly ClaimedTick[]): boolean =>
  claimed.length === BATCH.limit ||
  claimed.reduce((sum, { input }) => sum + Buffer.byteLength(input), 0) >= BATCH.maxBytes

type Settled = Exclude<Answer, { kind: 'unanswered' }>

async function settle(pool: Pool, answers: readonly Settled[]): Promise<void> {
  const results = resultsOf(answers)
  const missed = results.flatMap(refusedOf)
  if (missed.length === 0) return settleTicks(pool, answers.map(keyOf), results)
  await withTransaction(pool, async (tx) => {
    await settleTicks(tx, answers.map(keyOf), results)
    await publishMissedTicks(tx, missed)
  })
  alertMetrics.missedTicks.inc({ reason: 'refused' }, missed.length)
}

function refusedOf({ scheduleId, failure }: TickResult): MissedTicks[] {
  if (failure === undefined) return []
  const at = new Date(failure.tick)
  return [{ scheduleId, reason: 'refused', first: at, last: at, code: failure.code, message: failure.message }]
}

const keyOf = ({ tick }: { tick: ClaimedTick }) => ({ scheduleId: tick.schedule_id, tick: tick.tick })

function runOf({
  schedule_id: scheduleId,
  project_id: projectId,
  workflow,
  input: inputJson,
  tick,
}: ClaimedTick): NewRun {
  const at = tick.toISOString()
  return {
    projectId,
    workflow,
    inputJson,
    labels: { schedule: scheduleId, tick: at },
    dedupeKey: `schedule:${scheduleId}:${at}`,
    requestedBy: `schedule:${scheduleId}`,
  }
}

function answerOf(logger: Logger, tick: ClaimedTick, answer: RunAnswer): Answer {
  const at = tick.tick.toISOString()
  if (answer.kind === 'started') {
    scheduleMetrics.ticks.inc({ outcome: 'started' })
    if (tick.origin === 'clock') scheduleMetrics.latenessSeconds.observe((Date.now() - tick.tick.getTime()) / 1000)
    return { kind: 'started', tick, runId: answer.runId }
  }
  if (answer.kind === 'unanswered') {
    scheduleMetrics.ticks.inc({ outcome: 'put_off' })
    const { schedule_id: scheduleId, tries } = tick
    logger.warn({ err: answer.error, scheduleId, tick: at, tries }, 'a tick will be tried again')
    return { kind: 'unanswered', tick, afterMs: answer.retryAfterMs }
  }
  scheduleMetrics.ticks.inc({ outcome: 'failed' })
  const { reason: code, message } = answer.error
  return {
    kind: 'refused',
    tick,
    failure: { tick: at, at: new Date().toISOString(), code, message: message.slice(0, 1000) },
  }
}

/** A schedule's row is written once, whatever the number of its ticks. Backfilled ticks are not its latest. */
function resultsOf(answers: readonly Settled[]): TickResult[] {
  const results = new Map<string, TickResult>()
  for (const answer of answers) {
    const { schedule_id: scheduleId, tick, origin } = answer.tick
    const known = results.get(scheduleId) ?? { scheduleId }
    if (answer.kind === 'refused') {
      if (!known.failure || known.failure.tick < answer.failure.tick) known.failure = answer.failure
    } else if (origin !== 'backfill' && (!known.started || known.started.tick < tick)) {
      known.started = { tick, runId: answer.runId }
    }
    results.set(scheduleId, known)
  }
  return [...results.values()]
}
