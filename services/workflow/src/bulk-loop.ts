import { setTimeout as delay } from 'node:timers/promises'
import { crashPoint } from '@millrace/crash-point'
import { AppError } from '@millrace/errors'
import { withTransaction } from '@millrace/postgres'
import { cancelOne } from './cancel-one.js'
import type { AppContext } from './context.js'
import {
  type BulkError,
  type BulkJob,
  claimBulkJob,
  listBulkItems,
  purgeBulkJobs,
  recordGenerations,
  recordProgress,
} from './db/bulk-jobs.js'
import { findRunRequest } from './db/run-requests.js'
import { bulkMetrics } from './telemetry.js'

const SLICE = 20
const AT_ONCE = 5
const POLL_MS = 1000
/** Longer than a slice may take; after a crash another replica goes on by then. */
const CLAIM_MS = 30_000
const KEEP_DAYS = 7
const PURGE_EVERY_MS = 60_000

type Outcome = 'done' | 'skipped' | BulkError

/**
 * Carries bulk jobs on, a slice at a time, each job in turn. Between slices it rests as long as the last one took, so that
 * what people do one by one goes on beside it. A slice that a crash cut off is done again: what was cancelled or
 * deleted already counts as skipped; a run is retried only in the generation in which the job found it.
 */
export class BulkLoop {
  private readonly stopping = new AbortController()
  private running: Promise<void> = Promise.resolve()
  private purgedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly ctx: AppContext) {}

  start(): void {
    this.running = this.loop()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await this.running
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopping
    while (!signal.aborted) {
      const began = performance.now()
      let worked = false
      try {
        worked = await this.slice()
      } catch (error) {
        if (!signal.aborted) this.ctx.logger.warn({ err: error }, 'a bulk job goes on later')
      }
      const restMs = worked ? Math.min(1000, performance.now() - began) : POLL_MS
      await delay(restMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Answers whether there was something to do. */
  private async slice(): Promise<boolean> {
    const { pool } = this.ctx
    const job = await claimBulkJob(pool, CLAIM_MS)
    if (job === undefined) {
      await this.purge()
      return false
    }
    const runIds = await listBulkItems(pool, job.id, SLICE)
    const outcomes = job.action === 'delete' ? await this.delete(job, runIds) : await this.each(job, runIds)
    crashPoint('workflow.bulk.acted')
    const errors = outcomes.filter((outcome): outcome is BulkError => typeof outcome === 'object')
    const count = (what: Outcome) => outcomes.filter((outcome) => outcome === what).length
    const progress = { runIds, done: count('done'), skipped: count('skipped'), errors }
    await withTransaction(pool, (tx) => recordProgress(tx, job.id, progress))
    bulkMetrics.runs.inc({ action: job.action }, runIds.length)
    return true
  }

  private async purge(): Promise<void> {
    if (performance.now() - this.purgedAt < PURGE_EVERY_MS) return
    this.purgedAt = performance.now()
    await purgeBulkJobs(this.ctx.pool, KEEP_DAYS)
  }

  private async delete({ projectId }: BulkJob, runIds: string[]): Promise<Outcome[]> {
    const deleted = new Set(await this.ctx.scheduler.deleteRuns(projectId, runIds))
    return runIds.map((id) => (deleted.has(id) ? 'done' : 'skipped'))
  }

  private async each(job: BulkJob, runIds: string[]): Promise<Outcome[]> {
    const generations = job.action === 'retry' ? await this.generationsOf(job, runIds) : undefined
    const outcomes: Outcome[] = []
    for (let at = 0; at < runIds.length; at += AT_ONCE) {
      outcomes.push(
        ...(await Promise.all(runIds.slice(at, at + AT_ONCE).map((id) => this.one(job, id, generations?.get(id))))),
      )
    }
    return outcomes
  }

  private async generationsOf({ id }: BulkJob, runIds: string[]): Promise<Map<string, number>> {
    const now = new Map<string, number>()
    for await (const { run } of this.ctx.scheduler.readChanged(runIds, [])) now.set(run.id, run.generation)
    return recordGenerations(this.ctx.pool, id, now)
  }

  /** A scheduler that is gone fails the slice, which is then done again; what stands in the way of one is told. */
  private async one({ action, projectId, requestedBy }: BulkJob, runId: string, generation?: number): Promise<Outcome> {
    try {
      if ((await findRunRequest(this.ctx.pool, projectId, runId)) === undefined) return 'skipped'
      if (action === 'retry') await this.ctx.scheduler.retryRun(projectId, runId, generation)
      else await cancelOne(this.ctx, { projectId, runId, reason: '', requestedBy }, async () => undefined)
      return 'done'
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'unavailable' || error.code === 'internal') throw error
      if (error.reason === 'run_retried') return 'done'
      if (error.code === 'conflict' || error.code === 'not_found') return 'skipped'
      return { runId, code: error.reason, message: error.message }
    }
  }
}
