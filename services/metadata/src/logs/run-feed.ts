import { setTimeout as delay } from 'node:timers/promises'
import type { JobStore, LogScope, PlacedLine } from '@millrace/job-store'
import type { FollowConfig } from '../config.js'
import { FeedPage } from './feed-page.js'
import { PageSize } from './page-size.js'
import { placeOf } from './reading-order.js'
import type { HintListener } from './run-hints.js'
import { untilWoken } from './until-woken.js'

/** Epoch milliseconds of the end of what is followed; undefined while it goes on. */
export type FindEnd = () => Promise<number | undefined>

export interface FeedOptions {
  store: Pick<JobStore, 'tailLogs' | 'skipLogs'>
  run: Pick<LogScope, 'projectId' | 'runId'>
  listener: HintListener
  config: FollowConfig
}

/** Pages are kept for followers that are a little behind; one further behind reads the store by itself. */
const KEPT_PAGES = 2
const KEPT_LINES = 1_000
const KEPT_BYTES = 1_048_576
/** Each page costs every follower a write here and a copy in the gateway: many followers get fewer and larger pages. */
const PACE_MS_A_FOLLOWER = 0.5
const MAX_PACE_MS = 100

interface KnownEnd {
  find: FindEnd
  users: number
  value: number | undefined
}

export interface WatchedEnd {
  value(): number | undefined
  close(): void
}

/** Where a follower may begin to take pages, having read all that arrived until `position`. */
export interface FeedHead {
  position: string
  /** Given by earlier pages, though they lie behind the position. */
  unsettled: readonly PlacedLine[]
  nextPage: number
}

/**
 * One reader of the end of a run's log for all who follow it here, whichever of its jobs, levels or times they want: a
 * line is read once, however many follow. It works in rounds: the ends that followers wait for, then a sweep of the
 * store, so that what was stored by an end is in the pages when the end is known.
 */
export class RunFeed {
  followers = 0
  private readonly aborter = new AbortController()
  private readonly size = new PageSize()
  private readonly ends = new Map<string, KnownEnd>()
  private pages: FeedPage[] = []
  private firstPage = 0
  private position: string | undefined
  private unsettled = new Map<string, PlacedLine>()
  private failure: { error: unknown } | undefined
  private requests: (() => void)[] = []
  private waiting = new Set<() => void>()

  constructor(private readonly options: FeedOptions) {
    void this.run()
  }

  close(): void {
    this.aborter.abort()
    this.options.listener.close()
    this.settle([...this.requests, ...this.waiting])
  }

  get failed(): boolean {
    return this.failure !== undefined
  }

  /** Until a round is over that began after this call. */
  async refresh(): Promise<void> {
    this.check()
    await new Promise<void>((resolve) => {
      this.requests.push(resolve)
      this.options.listener.notify('record')
    })
    this.check()
  }

  get head(): FeedHead {
    return {
      position: this.position ?? '',
      unsettled: [...this.unsettled.values()],
      nextPage: this.firstPage + this.pages.length,
    }
  }

  /** `lost`: it is kept no more, and what it held has to be read from the store. */
  page(number: number): FeedPage | 'lost' | undefined {
    return number < this.firstPage ? 'lost' : this.pages[number - this.firstPage]
  }

  /** Asked for once a round, however many watch it under the same key. */
  watchEnd(key: string, find: FindEnd): WatchedEnd {
    const end = this.ends.get(key) ?? { find, users: 0, value: undefined }
    end.users += 1
    this.ends.set(key, end)
    return {
      value: () => end.value,
      close: () => {
        end.users -= 1
        if (end.users === 0 && this.ends.get(key) === end) this.ends.delete(key)
      },
    }
  }

  /** Until there is this page, or an end became known, or the time is over, if any is given. */
  async wait(number: number, timeoutMs: number | undefined, signal: AbortSignal): Promise<void> {
    this.check()
    if (this.page(number) !== undefined || signal.aborted) return
    let woken = (): void => undefined
    await untilWoken(
      (wake) => {
        woken = wake
        this.waiting.add(wake)
      },
      timeoutMs,
      signal,
    )
    this.waiting.delete(woken)
    this.check()
  }

  private check(): void {
    if (this.failure !== undefined) throw this.failure.error
  }

  private settle(resolves: readonly (() => void)[]): void {
    for (const resolve of resolves) resolve()
  }

  private async run(): Promise<void> {
    const { listener, config, store, run } = this.options
    const { signal } = this.aborter
    try {
      this.position = (await store.skipLogs(run, { keep: 0, settled: true })).position
      for (let changed = 'record'; !signal.aborted; changed = await listener.wait(config.pollMs, signal)) {
        const requests = this.requests.splice(0)
        const began = performance.now()
        const ends = changed === 'record' ? await this.askEnds() : []
        await this.sweep()
        if (applyEnds(ends)) this.settle([...this.waiting])
        this.settle(requests)
        await this.rest(began)
      }
    } catch (error) {
      this.failure = { error }
      this.settle([...this.requests, ...this.waiting])
    }
  }

  private async rest(began: number): Promise<void> {
    const pace = Math.min(MAX_PACE_MS, this.followers * PACE_MS_A_FOLLOWER)
    const restMs = began + pace - performance.now()
    if (restMs > 1) await delay(restMs, undefined, { signal: this.aborter.signal }).catch(() => undefined)
  }

  private async askEnds(): Promise<AskedEnd[]> {
    const ask = async (end: KnownEnd) => ({ end, value: await end.find() })
    return await Promise.all([...this.ends.values()].map(ask))
  }

  /** To the end of what is there. */
  private async sweep(): Promise<void> {
    const { store, run } = this.options
    let next = this.position
    for (;;) {
      const page = await store.tailLogs(run, { limit: this.size.lines, ...(next !== undefined && { from: next }) })
      this.size.observe(page.lines)
      const fresh = page.lines.filter((line) => !this.unsettled.has(placeOf(line)))
      for (const line of page.lines) {
        if (line.mayRepeat) this.unsettled.set(placeOf(line), line)
        else this.unsettled.delete(placeOf(line))
      }
      this.position = page.position
      if (fresh.length > 0) {
        this.keep(new FeedPage(fresh, page.begun, page.position, [...this.unsettled.values()]))
        this.settle([...this.waiting])
      }
      if (page.next === null || this.aborter.signal.aborted) return
      next = page.next
    }
  }

  private keep(page: FeedPage): void {
    this.pages.push(page)
    let lines = this.pages.reduce((sum, each) => sum + each.lines.length, 0)
    let bytes = this.pages.reduce((sum, each) => sum + each.size, 0)
    const maxLines = Math.min(KEPT_LINES, this.options.config.maxLagLines)
    while (this.pages.length > KEPT_PAGES && (lines > maxLines || bytes > KEPT_BYTES)) {
      const [oldest] = this.pages.splice(0, 1)
      this.firstPage += 1
      lines -= oldest?.lines.length ?? 0
      bytes -= oldest?.size ?? 0
    }
  }
}

interface AskedEnd {
  end: KnownEnd
  value: number | undefined
}

/** Only after the sweep: an end means that there are no further pages of what was stored by then. */
function applyEnds(asked: readonly AskedEnd[]): boolean {
  const changed = asked.filter(({ end, value }) => end.value !== value)
  for (const { end, value } of changed) end.value = value
  return changed.length > 0
}
