export interface Page<T> {
  items: T[]
  nextCursor: string | null
}

/** `rows` were asked for with one more than the limit: that one says whether there is a next page. */
export function pageOf<R, T>(rows: R[], limit: number, show: (row: R) => T, cursorAt: (row: R) => string): Page<T> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { items: shown.map(show), nextCursor: rows.length > limit && last !== undefined ? cursorAt(last) : null }
}
