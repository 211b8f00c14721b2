import { useState } from 'react'
import { useKeys } from './use-keys'

interface ListKeys {
  count: number
  onOpen: (index: number) => void
  onSelect?: (index: number) => void
  /** Where the row under the cursor may not be drawn yet. */
  onMove?: (index: number) => void
  /** The element that `/` goes to. */
  searchId?: string
}

/** `j` and `k` through a list, Enter opens, `x` selects, `/` searches. Returns the row under the cursor, or -1. */
export function useListCursor({ count, onOpen, onSelect, onMove, searchId }: ListKeys): number {
  const [at, setAt] = useState(-1)
  const move = (step: number) => () => {
    const next = Math.min(count - 1, Math.max(0, at + step))
    setAt(next)
    onMove?.(next)
    document.querySelector(`[data-row="${next}"]`)?.scrollIntoView({ block: 'nearest' })
  }
  const openAtCursor = (event: KeyboardEvent) => {
    // A focused link or button answers for itself.
    const control = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('a, button') : null
    if (control) control.click()
    else if (at >= 0) onOpen(at)
  }
  useKeys({
    j: move(1),
    k: move(-1),
    x: () => at >= 0 && onSelect?.(at),
    '/': () => searchId && document.getElementById(searchId)?.focus(),
    // biome-ignore lint/complexity/useLiteralKeys: a key of the keyboard, not a component
    ['Enter']: openAtCursor,
  })
  return Math.min(at, count - 1)
}
