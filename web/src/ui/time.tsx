import { useSyncExternalStore } from 'react'
import { formatAbsolute, formatDuration, formatRelative } from './format'

/** One clock for the whole page, stopped while it is hidden or nobody reads it. */
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    // It stood still while nobody read it.
    now = Date.now()
    timer = setInterval(() => document.hidden || tick(), 1_000)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

export const useNow = (): number => useSyncExternalStore(subscribe, () => now)

export function Time({ at, zone }: { at: string | null | undefined; zone?: string }) {
  const current = useNow()
  if (!at) return <span className="muted">–</span>
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={formatAbsolute(ms, zone)}>
      {formatRelative(ms, Math.max(current, ms > current && ms - current < 2_000 ? ms : current))}
    </time>
  )
}

/** Counts on while there is no end. */
export function Duration({ from, to }: { from: string | null | undefined; to: string | null | undefined }) {
  if (!from) return <span className="muted">–</span>
  if (to) return <span>{formatDuration(Date.parse(to) - Date.parse(from))}</span>
  return <RunningDuration from={Date.parse(from)} />
}

function RunningDuration({ from }: { from: number }) {
  return <span>{formatDuration(Math.max(0, useNow() - from))}</span>
}
