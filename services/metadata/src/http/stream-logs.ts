import type { RouteReply, RouteRequest } from '@millrace/http'
import type { LogPage, LogScope } from '@millrace/job-store'
import type { AppContext } from '../context.js'
import { followLogs } from '../logs/follow-logs.js'
import { LogWriter } from '../logs/log-writer.js'
import { logFollowers } from '../telemetry.js'
import type { LogRequest } from './log-request.js'

const PAGE = 1_000

/** The first page is read before the answer begins, so that what is wrong with the question is still an error. */
export async function streamPlain(
  ctx: AppContext,
  req: RouteRequest,
  asked: LogRequest,
  scope: LogScope,
): Promise<RouteReply> {
  const arrived = asked.position === undefined ? {} : { arrivedAfter: asked.position }
  const read = (next: string | null): Promise<LogPage> =>
    ctx.store.readLogs(scope, { limit: PAGE, ...arrived, ...(next === null ? {} : { next }) })
  let page = await read(null)
  return {
    async stream(res) {
      const writer = new LogWriter(res, asked.format, req.signal)
      writer.begin()
      await writer.lines(page.lines)
      while (page.next !== null && !req.signal.aborted) {
        page = await read(page.next)
        await writer.lines(page.lines)
      }
      await writer.end()
    },
  }
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
  return {
    async stream(res) {
      const writer = new LogWriter(res, asked.format, req.signal)
      const bell = ctx.hub.listen(scope.runId)
      const keepAlive = setInterval(() => writer.keepAlive(), ctx.follow.keepAliveMs)
      logFollowers.inc()
      try {
        writer.begin()
        const { store, follow: config } = ctx
        const send = (lines: LogPage['lines'], position: string) => writer.lines(lines, position)
        await followLogs({ store, scope, from: asked.position, finishedAt, send, bell, signal: req.signal, config })
        await writer.end()
      } finally {
        logFollowers.dec()
        clearInterval(keepAlive)
        bell.close()
      }
    },
  }
}
