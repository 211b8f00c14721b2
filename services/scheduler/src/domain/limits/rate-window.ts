/** When attempts started lately, oldest first. Starts of about the same time stand together, at the latest of them. */
export interface RateWindow {
  /** The longest time that anybody counts over. */
  readonly perMs: number
  readonly starts: readonly (readonly [atMs: number, count: number])[]
}

export interface Rate {
  readonly limit: number
  readonly perMs: number
}

/**
 * A window is remembered in this many parts at most, whatever the limit. A start never counts as earlier than it was,
 * so that what is lost is at most a part of the time, and never the limit.
 */
const PARTS = 64

export const emptyWindow: RateWindow = { perMs: 0, starts: [] }

/** How many may start now, so that no window of that length, wherever it begins, ever holds more than the limit. */
export function rateRoom(window: RateWindow, rate: Rate, nowMs: number): number {
  let started = 0
  for (const [atMs, count] of window.starts) if (atMs > nowMs - rate.perMs) started += count
  return Math.max(0, rate.limit - started)
}

/** When the next may start; not after `nowMs` if it may now. */
export function rateFreeAt(window: RateWindow, rate: Rate, nowMs: number): number {
  let started = 0
  for (let i = window.starts.length - 1; i >= 0; i -= 1) {
    const [atMs, count] = window.starts[i] ?? [0, 0]
    if (atMs <= nowMs - rate.perMs) break
    started += count
    // All that started from here on fill the window until this one leaves it.
    if (started >= rate.limit) return atMs + rate.perMs
  }
  return nowMs
}

export function recordStart(window: RateWindow, rate: Rate, nowMs: number): RateWindow {
  const perMs = Math.max(window.perMs, rate.perMs)
  const last = window.starts.at(-1)
  // A clock that was set back makes no earlier start out of a later one.
  const atMs = Math.max(nowMs, last?.[0] ?? 0)
  const starts = window.starts.filter(([at]) => at > atMs - perMs)
  const partMs = rate.perMs / PARTS
  const sameTime =
    last !== undefined && last[0] > atMs - perMs && Math.floor(last[0] / partMs) === Math.floor(atMs / partMs)
  if (!sameTime) return { perMs, starts: [...starts, [atMs, 1]] }
  return { perMs, starts: [...starts.slice(0, -1), [atMs, last[1] + 1]] }
}
