import { encodeCursor } from '@millrace/http'

export interface Page {
  items: Record<string, unknown>[]
  nextCursor: string | null
}

/** From one row more than asked for. Ids are in order of time, so an id is a position. */
export function pageOf<R extends { id: string }>(
  rows: readonly R[],
  limit: number,
  view: (row: R) => Record<string, unknown>,
): Page {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const more = rows.length > limit && last !== undefined
  return { items: shown.map(view), nextCursor: more ? encodeCursor({ id: last.id }) : null }
}
