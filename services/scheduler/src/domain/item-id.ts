import { createHash } from 'node:crypto'

/** Where a map item stands: the map's place in the plan, and the item's in the list. */
export interface ItemPlace {
  readonly ordinal: number
  readonly index: number
}

const version = '8'
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

/**
 * The id of a map item: the time of its map's id, then where it stands, then digits of the map's id. So an id alone
 * tells that a report or a timer is about an item and which group it belongs to, making an item twice makes one row, and
 * the items of one map stand together in every index. Version 8 of RFC 9562; other tasks have version 7.
 */
export function itemId(mapTaskId: string, { ordinal, index }: ItemPlace): string {
  const digits = createHash('sha256').update(mapTaskId).digest('hex').slice(0, 12)
  const [time = '', more = ''] = mapTaskId.split('-')
  // 4,096 tasks and 16,384 items at most: a definition has fewer of both.
  return `${time}-${more}-${version}${hex(ordinal, 3)}-${hex(0x8000 + index, 4)}-${digits}`
}

/** What stands before and after an index in the ids of a map's items. */
export function itemIdParts(mapTaskId: string, ordinal: number): { prefix: string; suffix: string } {
  const [time, more, place, , digits] = itemId(mapTaskId, { ordinal, index: 0 }).split('-')
  return { prefix: `${time}-${more}-${place}-`, suffix: `-${digits}` }
}

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-8([0-9a-f]{3})-([89ab][0-9a-f]{3})-[0-9a-f]{12}$/

/** Undefined for the id of a task that is no item. */
export function itemPlace(taskId: string): ItemPlace | undefined {
  const match = pattern.exec(taskId)
  if (!match) return undefined
  return { ordinal: Number.parseInt(match[1] ?? '', 16), index: Number.parseInt(match[2] ?? '', 16) - 0x8000 }
}
