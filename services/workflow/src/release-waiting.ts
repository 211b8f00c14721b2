import { setTimeout as delay } from 'node:timers/promises'
import { appendEvents } from '@millrace/events'
import type { Logger } from '@millrace/logger'
import { type Pool, type Tx, withTransaction } from '@millrace/postgres'
import type { RunRequest } from './db/run-requests.js'
import { findReleasable, lockReleasable, lockWaiting, lockWaitingRun, markReleased } from './db/waiting-requests.js'
import { startedOf } from './run-order.js'
import { SOURCE } from './source.js'

const slice = 200
const pollMs = 1_000

/** Announces requests that waited for their workflow to resume. */
export interface Releaser {
  start(): void
  /** A workflow resumed: no need to wait for the poll. */
  poke(): void
  stop(): Promise<void>
}

interface ReleaserOptions {
  pool: Pool
  logger: Logger
  onReleased: () => void
}

/**
 * Resuming only turns the workflow's switch; this loop does the rest, in slices, each a transaction of its own. So a
 * crash at any point leaves requests that still wait, and the next look finds them, as it does a request that was
 * written by a statement that still saw the workflow paused.
 */
export function createReleaser({ pool, logger, onReleased }: ReleaserOptions): Releaser {
  const stopping = new AbortController()
  let wake = new AbortController()
  let running: Promise<void> = Promise.resolve()
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const asked = wake.signal
      try {
        await releaseAll(pool, onReleased, stopping.signal)
      } catch (error) {
        if (!stopping.signal.aborted) logger.warn({ err: error }, 'waiting runs will be released by the next look')
      }
      await delay(pollMs, undefined, { signal: AbortSignal.any([asked, stopping.signal]) }).catch(() => undefined)
    }
  }
  return {
    start() {
      running = loop()
    },
    poke() {
      const asked = wake
      wake = new AbortController()
      asked.abort()
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function releaseAll(pool: Pool, onReleased: () => void, signal: AbortSignal): Promise<void> {
  for (const workflowId of await findReleasable(pool)) {
    let released = slice
    while (released === slice && !signal.aborted) {
      released = await withTransaction(pool, (tx) => releaseSlice(tx, workflowId))
      if (released > 0) onReleased()
    }
  }
}

async function releaseSlice(tx: Tx, workflowId: string): Promise<number> {
  const workflow = await lockReleasable(tx, workflowId)
  if (workflow === undefined) return 0
  const requests = await lockWaiting(tx, workflowId, slice)
  // Nobody resumed a workflow that was archived while paused: its runs are on hold, for someone to resume or cancel.
  await release(tx, requests, workflow.archived)
  return requests.length
}

async function release(tx: Tx, requests: readonly RunRequest[], hold: boolean): Promise<void> {
  if (requests.length === 0) return
  await appendEvents(
    tx,
    SOURCE,
    requests.map((request) => startedEvent(request, hold)),
  )
  await markReleased(
    tx,
    requests.map((request) => request.id),
    hold,
  )
}

/** Hands one run to the scheduler, on hold: what the scheduler keeps for it is applied before anything of it starts. */
export async function releaseHeld(tx: Tx, runId: string): Promise<void> {
  const request = await lockWaitingRun(tx, runId)
  if (request !== undefined) await release(tx, [request], true)
}

function startedEvent(request: RunRequest, hold: boolean) {
  const { id, traceparent } = request
  return {
    topic: 'workflow.started' as const,
    key: id,
    subject: id,
    sequence: 0,
    ...(traceparent === null ? {} : { traceparent }),
    data: startedOf({ ...request, hold: request.hold || hold }),
  }
}
