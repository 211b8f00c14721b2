import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import { isAbsent, type RunChange } from '../clients/scheduler.js'
import type { AppContext } from '../context.js'
import { streamMetrics } from '../telemetry.js'
import { type EventWriter, openEventStream } from './event-stream.js'
import { findRun } from './find-run.js'
import { detailOf, type Reader } from './get-run.js'
import { runIdOf } from './path-id.js'
import { runDetail, runView, taskView } from './views.js'

const requestPollMs = 100
/** A run may wait for its paused workflow for days. */
const requestPollMaxMs = 2_000
const outageRetryMs = 500
const outageTries = 20

/** A snapshot, then every change, until the run ends. A lost scheduler is waited for; then comes a snapshot again. */
export function watchRun(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { projectId } = req.identity
    const runId = runIdOf(req)
    // Asked before the answer begins, while it can still be a problem document.
    await findRun(ctx, projectId, runId)
    return {
      async stream(res) {
        const writer = openEventStream(res)
        streamMetrics.open.inc()
        try {
          await follow(ctx, req.identity, runId, req.signal, writer)
        } finally {
          streamMetrics.open.dec()
          writer.close()
        }
      },
    }
  }
}

async function follow(
  ctx: AppContext,
  reader: Reader,
  runId: string,
  signal: AbortSignal,
  writer: EventWriter,
): Promise<void> {
  let shown = false
  let outages = 0
  let requestWaitMs = requestPollMs
  while (!signal.aborted) {
    try {
      let ended = false
      for await (const change of ctx.scheduler.watchRun(reader.projectId, runId, signal)) {
        if (change.kind !== 'task') await ctx.nameStarters(reader, [change.run])
        await send(writer, change, signal)
        if (change.kind !== 'task') ended = hasEnded(change.run.status)
        outages = 0
      }
      if (ended) return
      // A scheduler that drains ends its streams though the run goes on.
      if (outages++ >= outageTries) return
      await pause(outageRetryMs, signal)
    } catch (error) {
      if (signal.aborted) return
      if (isAbsent(error)) {
        if (!shown) await writer.send('snapshot', '0', JSON.stringify(await detailOf(ctx, reader, runId)), signal)
        shown = true
        await pause(requestWaitMs, signal)
        requestWaitMs = Math.min(requestPollMaxMs, requestWaitMs * 1.2)
      } else if (isOutage(error) && outages++ < outageTries) await pause(outageRetryMs, signal)
      else throw error
    }
  }
}

const hasEnded = (status: string): boolean => ['succeeded', 'failed', 'cancelled'].includes(status)

const isOutage = (error: unknown): boolean => error instanceof AppError && error.reason === 'scheduler_unavailable'

function send(writer: EventWriter, change: RunChange, signal: AbortSignal): Promise<void> {
  switch (change.kind) {
    case 'snapshot':
      return writer.send(
        'snapshot',
        String(change.run.rev),
        JSON.stringify(runDetail(change.run, change.tasks)),
        signal,
      )
    case 'run':
      return writer.send('run', String(change.run.rev), JSON.stringify(runView(change.run)), signal)
    case 'task':
      return writer.send('task', String(change.task.rev), JSON.stringify(taskView(change.task)), signal)
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined)
}
