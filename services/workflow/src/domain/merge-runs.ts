export interface Position {
  createdAt: string
  id: string
}

/** Newest first; both halves of the cursor are fixed-width text, so they compare as they stand. */
export function newestFirst(a: Position, b: Position): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0
}

export interface Source<T> {
  items: readonly T[]
  /** The last position that was looked at, when there may be more behind it. */
  end?: Position | undefined
}

/**
 * Merges as far down as both sources were looked at: below the end of one, the other's items could have unseen ones
 * between them. `floor` is where to go on; absent when both are exhausted.
 */
export function mergeSources<T extends Position>(left: Source<T>, right: Source<T>): { items: T[]; floor?: Position } {
  const ends = [left.end, right.end].filter((end): end is Position => end !== undefined)
  const floor = ends.sort(newestFirst)[0]
  const all = [...left.items, ...right.items].sort(newestFirst)
  if (floor === undefined) return { items: all }
  return { items: all.filter((item) => newestFirst(item, floor) <= 0), floor }
}
