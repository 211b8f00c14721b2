import { useRef } from 'react'

interface Steady<T> {
  items: readonly T[]
  /** Newer ones that are kept back. */
  held: number
}

/**
 * A live list that does not move under the pointer: while `hold`, rows keep their places and change in place, and what is
 * new is counted instead of shown.
 */
export function steady<T extends { id: string }>(before: readonly T[], now: readonly T[], hold: boolean): Steady<T> {
  if (!hold || before.length === 0) return { items: now, held: 0 }
  const current = new Map(now.map((item) => [item.id, item]))
  const known = new Set(before.map(({ id }) => id))
  const kept = before.flatMap((item) => current.get(item.id) ?? [])
  const lastKept = kept.at(-1)
  if (!lastKept) return { items: now, held: 0 }
  const fresh = now.filter(({ id }) => !known.has(id))
  // What comes after the last known row was read by scrolling: it is no news from above.
  const end = now.findIndex(({ id }) => id === lastKept.id)
  const below = fresh.filter((item) => now.indexOf(item) > end)
  return { items: [...kept, ...below], held: fresh.length - below.length }
}

export function useSteadyList<T extends { id: string }>(now: readonly T[], hold: boolean): Steady<T> {
  const shown = useRef<readonly T[]>([])
  const next = steady(shown.current, now, hold)
  shown.current = next.items
  return next
}
