import type { RouteReply, RouteRequest } from '@millrace/http'
import type { LogPage, LogScope } from '@millrace/job-store'
import type { AppContext } from '../context.js'
import { followLogs } from '../logs/follow-logs.js'
import { LogWriter } from '../logs/log-writer.js'
import { PageSize } from '../logs/page-size.js'
import { logFollowers } from '../telemetry.js'
import type { LogRequest } from './log-request.js'

/** The first page is read before the answer begins, so that what is wrong with the question is still an error. */
export async function streamPlain(
  ctx: AppContext,
  req: RouteRequest,
  asked: LogRequest,
  scope: LogScope,
): Promise<RouteReply> {
  const after = await beginningOf(ctx, asked, scope, false)
  const size = new PageSize()
  let left = asked.limit
  const read = async (next: string | null): Promise<LogPage> => {
    const limit = Math.min(size.lines, left)
    const page = await ctx.store.readLogs(scope, {
      limit,
      ...(after !== undefined && { after }),
      ...(next !== null && { next }),
    })
    size.observe(page.lines)
    left -= page.lines.length
    return page
  }
  let page = await read(null)
  return {
    async stream(res) {
      const writer = new LogWriter(res, asked.format, req.signal)
      writer.begin(fileNameOf(asked, scope))
      await writer.lines(page.lines)
      while (page.next !== null && left > 0 && !req.signal.aborted) {
        page = await read(page.next)
        await writer.lines(page.lines)
      }
      await writer.end()
    },
  }
}

/** `settled`: see `skipLogs`. A position is checked here in any case, while a fault can still be answered. */
async function beginningOf(
  { store }: AppContext,
  { tail, position }: LogRequest,
  scope: LogScope,
  settled: boolean,
): Promise<string | undefined> {
  if (tail === undefined) return position
  const skipped = await store.skipLogs(scope, {
    keep: tail,
    settled,
    ...(position !== undefined && { from: position }),
  })
  return skipped.position ?? position
}

function fileNameOf({ download, format }: LogRequest, { jobId, runId }: LogScope): string | undefined {
  if (!download) return undefined
  const name = jobId === undefined ? `run-${runId}` : `job-${jobId}`
  return `${name}.${format === 'sse' ? 'txt' : 'ndjson'}`
}

export async function streamFollowed(
  ctx: AppContext,
  req: RouteRequest,
  asked: LogRequest,
  scope: LogScope,
  finishedAt: () => Promise<number | undefined>,
): Promise<RouteReply> {
  if (asked.position !== undefined) {
    const { lines } = await ctx.store.tailLogs(scope, { limit: 1, from: asked.position })
    const ended = await finishedAt()
    // The only answer that keeps an EventSource from connecting again and again.
    if (asked.resumed && lines.length === 0 && ended !== undefined && ended + ctx.follow.graceMs < Date.now()) {
      return { status: 204 }
    }
  }
  const from = await beginningOf(ctx, asked, scope, true)
  return {
    async stream(res) {
      const writer = new LogWriter(res, asked.format, req.signal)
      const keepAlive = setInterval(() => writer.keepAlive(), ctx.follow.keepAliveMs)
      logFollowers.inc()
      try {
        writer.begin(fileNameOf(asked, scope))
        const { store, follow: config } = ctx
        const { limit, tail, format } = asked
        const { signal } = req
        const atEnd = tail !== undefined
        await ctx.feeds.follow(scope.projectId, scope.runId, (feed) =>
          followLogs({ store, feed, scope, format, from, limit, atEnd, finishedAt, writer, signal, config }),
        )
        await writer.end()
      } finally {
        logFollowers.dec()
        clearInterval(keepAlive)
      }
    },
  }
}
