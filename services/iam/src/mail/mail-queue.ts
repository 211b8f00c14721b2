import { backoffMs, toAppError } from '@millrace/errors'
import type { Logger } from '@millrace/logger'
import type { Mailer } from '@millrace/mailer'
import type { Pool } from '@millrace/postgres'
import { claimMailJobs, deleteMailJob, type MailJob, postponeMailJob } from '../db/mail-jobs.js'
import { deleteToken } from '../db/one-time-tokens.js'
import { composeMail } from './compose-mail.js'

const BATCH = 10
const LEASE_MS = 120_000
const POLL_MS = 5000
const MAX_ATTEMPTS = 10
/** The whole of it is about an hour, the life of the shortest link. */
const backoff = { firstMs: 5000, maxMs: 600_000 }

export interface MailQueueOptions {
  pool: Pool
  mailer: Mailer
  logger: Logger
  publicUrl: string
}

/**
 * Sends the mail that requests have asked for. A request only writes a row: its answer waits for no mail server, and
 * takes the same time whether the address belongs to anybody or not.
 */
export class MailQueue {
  private readonly stopping = new AbortController()
  private timer: NodeJS.Timeout | undefined
  private working: Promise<void> | undefined
  private again = false

  constructor(private readonly options: MailQueueOptions) {}

  start(): void {
    this.timer = setInterval(() => this.wake(), POLL_MS)
    this.timer.unref()
    this.wake()
  }

  /** A hint that there may be something to send. */
  wake(): void {
    if (this.stopping.signal.aborted) return
    if (this.working) {
      this.again = true
      return
    }
    this.working = this.drain()
      .catch((error: unknown) => this.options.logger.warn({ err: error }, 'mail could not be looked for'))
      .finally(() => {
        this.working = undefined
        if (this.again) this.wake()
      })
  }

  /** What is being sent is cut off and sent again by whoever starts next. */
  async stop(): Promise<void> {
    clearInterval(this.timer)
    this.stopping.abort()
    await this.working
  }

  private async drain(): Promise<void> {
    this.again = false
    for (;;) {
      const jobs = await claimMailJobs(this.options.pool, BATCH, LEASE_MS)
      for (const job of jobs) {
        if (this.stopping.signal.aborted) return
        await this.send(job)
      }
      if (jobs.length < BATCH) return
    }
  }

  private async send(job: MailJob): Promise<void> {
    const { pool, mailer, publicUrl } = this.options
    const mail = await composeMail(pool, publicUrl, job)
    try {
      if (mail) await mailer.send(mail.message, { signal: this.stopping.signal })
      await deleteMailJob(pool, job.id)
    } catch (error) {
      // Nobody has the link; it must not count as one that was sent.
      if (mail) await deleteToken(pool, mail.tokenHash)
      await this.failed(job, error)
    }
  }

  private async failed(job: MailJob, error: unknown): Promise<void> {
    const { pool, logger } = this.options
    const { retryable, code, reason } = toAppError(error)
    const retry = code === 'cancelled' || (retryable && job.attempts < MAX_ATTEMPTS)
    logger.warn({ kind: job.kind, attempts: job.attempts, reason, retry }, 'a mail was not sent')
    if (retry) await postponeMailJob(pool, job.id, code === 'cancelled' ? 0 : backoffMs(job.attempts, backoff))
    else await deleteMailJob(pool, job.id)
  }
}
