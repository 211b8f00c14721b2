import { isDeepStrictEqual } from 'node:util'

export interface Change {
  op: 'add' | 'remove' | 'replace'
  /** JSON pointer. */
  path: string
  before?: unknown
  after?: unknown
}

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const pointer = (key: string): string => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Field by field. A list is one value: what moved within it says less than the two lists side by side. */
export function diffValues(before: unknown, after: unknown, path = ''): Change[] {
  if (isDeepStrictEqual(before, after)) return []
  if (!isObject(before) || !isObject(after)) return [{ op: 'replace', path, before, after }]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key): Change[] => {
    const at = path + pointer(key)
    if (!Object.hasOwn(after, key)) return [{ op: 'remove', path: at, before: before[key] }]
    if (!Object.hasOwn(before, key)) return [{ op: 'add', path: at, after: after[key] }]
    return diffValues(before[key], after[key], at)
  })
}

/** The same, told by task. */
export function diffTasks(before: Json, after: Json): { added: string[]; removed: string[]; changed: string[] } {
  const kept = Object.keys(after).filter((key) => Object.hasOwn(before, key))
  return {
    added: Object.keys(after).filter((key) => !Object.hasOwn(before, key)),
    removed: Object.keys(before).filter((key) => !Object.hasOwn(after, key)),
    changed: kept.filter((key) => !isDeepStrictEqual(before[key], after[key])),
  }
}
