import { useSyncExternalStore } from 'react'

/** A tab that is looked away from for this long gives its streams back. */
const hiddenMs = 15_000

let awake = true
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function setAwake(next: boolean): void {
  if (awake === next) return
  awake = next
  for (const listener of listeners) listener()
}

function onVisibility(): void {
  clearTimeout(timer)
  if (document.hidden) timer = setTimeout(() => setAwake(false), hiddenMs)
  else setAwake(true)
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    document.addEventListener('visibilitychange', onVisibility)
    onVisibility()
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    document.removeEventListener('visibilitychange', onVisibility)
    clearTimeout(timer)
  }
}

/** False while nobody looks: whatever is followed is let go, and followed again once somebody does. */
export const useAwake = (): boolean => useSyncExternalStore(subscribe, () => awake)
