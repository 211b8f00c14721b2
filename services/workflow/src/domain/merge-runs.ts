export interface Position {
  createdAt: string
  id: string
}

export type RunOrder = 'newest' | 'oldest'
type Comparison = (a: Position, b: Position) => number

/** Both halves of the cursor are fixed-width text, so they compare as they stand. */
const oldestFirst: Comparison = (a, b) => {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

export const comparisons: Readonly<Record<RunOrder, Comparison>> = {
  newest: (a, b) => oldestFirst(b, a),
  oldest: oldestFirst,
}

export interface Source<T> {
  items: readonly T[]
  /** The last position that was looked at, when there may be more behind it. */
  end?: Position | undefined
}

/**
 * Merges as far as both sources were looked at: behind the end of one, the other's items could have unseen ones
 * between them. `floor` is where to go on; absent when both are exhausted.
 */
export function mergeSources<T extends Position>(
  left: Source<T>,
  right: Source<T>,
  order: RunOrder = 'newest',
): { items: T[]; floor?: Position } {
  const compare = comparisons[order]
  const ends = [left.end, right.end].filter((end): end is Position => end !== undefined)
  const floor = ends.sort(compare)[0]
  const all = [...left.items, ...right.items].sort(compare)
  if (floor === undefined) return { items: all }
  return { items: all.filter((item) => compare(item, floor) <= 0), floor }
}
