import type { JobStore, LogLine, LogScope } from '@millrace/job-store'
import type { FollowConfig } from '../config.js'
import type { Bell } from './run-bells.js'

export interface FollowOptions {
  store: Pick<JobStore, 'tailLogs'>
  scope: LogScope
  /** A position that an earlier stream gave out; undefined = from the first line. */
  from: string | undefined
  /** Epoch milliseconds of the end of what is followed; undefined while it goes on. */
  finishedAt: () => Promise<number | undefined>
  /** `position`: where a new stream may go on once these lines have arrived. */
  send: (lines: LogLine[], position: string) => Promise<void>
  bell: Bell
  signal: AbortSignal
  config: FollowConfig
}

const PAGE = 1_000

/** Resolves once what is followed has ended, all its lines were sent, and none came for a grace; or on abort. */
export async function followLogs(options: FollowOptions): Promise<void> {
  const { bell, signal, config } = options
  let from = options.from
  let sent: ReadonlySet<string> = new Set()
  let lastLineAt = 0
  let first = true
  while (!signal.aborted) {
    // Asked before the sweep: what was stored by the end is then within it.
    const finishedAt = await options.finishedAt()
    const swept = await sweep(options, from, sent)
    from = swept.position
    sent = swept.mayRepeat
    // What was there before says nothing about what may still come.
    if (swept.count > 0 && !first) lastLineAt = Date.now()
    first = false
    if (finishedAt === undefined) {
      await bell.wait(config.pollMs, signal)
      continue
    }
    const quietUntil = Math.min(Math.max(finishedAt, lastLineAt) + config.graceMs, finishedAt + config.maxGraceMs)
    const waitMs = quietUntil - Date.now()
    if (waitMs <= 0) return
    await bell.wait(Math.min(waitMs, config.pollMs), signal)
  }
}

interface Swept {
  position: string
  count: number
  /** Places of the lines that the next sweep may return again. */
  mayRepeat: Set<string>
}

/** From `from` to the end of what is there. */
async function sweep(
  { store, scope, send, signal }: FollowOptions,
  from: string | undefined,
  sent: ReadonlySet<string>,
): Promise<Swept> {
  const mayRepeat = new Set<string>()
  let next = from
  let count = 0
  for (;;) {
    const page = await store.tailLogs(scope, { limit: PAGE, ...(next === undefined ? {} : { from: next }) })
    const fresh = page.lines.filter((line) => !sent.has(placeOf(line)))
    for (const line of page.lines) if (line.mayRepeat) mayRepeat.add(placeOf(line))
    count += fresh.length
    if (fresh.length > 0) await send(inReadingOrder(fresh, scope), page.position)
    if (page.next === null || signal.aborted) return { position: page.position, count, mayRepeat }
    next = page.next
  }
}

const placeOf = (line: LogLine): string => `${line.jobId}/${line.attempt}/${line.leaseId}/${line.seq}`

/** Lines of one page as a plain read would order them. */
function inReadingOrder(lines: LogLine[], scope: LogScope): LogLine[] {
  const byTime = (a: LogLine, b: LogLine) => a.at.getTime() - b.at.getTime()
  if (scope.jobId === undefined) return lines.sort(byTime)
  return lines.sort((a, b) => a.attempt - b.attempt || byTime(a, b) || a.seq - b.seq)
}
