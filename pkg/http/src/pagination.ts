import { unprocessable } from '@millrace/errors'
import { validate as isUuid } from 'uuid'

export const DEFAULT_LIMIT = 50
export const MAX_LIMIT = 200

export const limitSchema = { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT } as const
export const cursorSchema = { type: 'string', minLength: 1, maxLength: 2048 } as const

export function parseLimit(value: unknown): number {
  if (value === undefined) return DEFAULT_LIMIT
  const limit = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw unprocessable('invalid_limit', `limit must be a whole number from 1 to ${MAX_LIMIT}.`, [
    { path: '/limit', code: 'out_of_range', message: `must be 1 to ${MAX_LIMIT}` },
  ])
}

export type CursorKind = 'string' | 'integer' | 'time' | 'uuid'
export type CursorShape = Readonly<Record<string, CursorKind>>
export type CursorOf<S extends CursorShape> = { [K in keyof S]: S[K] extends 'integer' ? number : string }

export const encodeCursor = (position: Record<string, unknown>): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url')

/** A cursor comes back from outside: name the shape, and a forged one cannot reach the SQL. */
export function decodeCursor(cursor: string): Record<string, unknown>
export function decodeCursor<S extends CursorShape>(cursor: string, shape: S): CursorOf<S>
export function decodeCursor(cursor: string, shape: CursorShape = {}): Record<string, unknown> {
  const position = parse(cursor)
  for (const [name, kind] of Object.entries(shape)) {
    if (!fits(Object.hasOwn(position, name) ? position[name] : undefined, kind)) throw invalidCursor()
  }
  return position
}

function parse(cursor: string): Record<string, unknown> {
  if (cursor.length > cursorSchema.maxLength || !/^[A-Za-z0-9_-]+$/.test(cursor)) throw invalidCursor()
  try {
    const value: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(cursor, 'base64url')),
    )
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    throw invalidCursor()
  }
  throw invalidCursor()
}

function fits(value: unknown, kind: CursorKind): boolean {
  if (kind === 'integer') return Number.isSafeInteger(value)
  if (typeof value !== 'string' || value.includes('\0')) return false
  if (kind === 'uuid') return isUuid(value)
  if (kind === 'time')
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value) && !Number.isNaN(Date.parse(value))
  return true
}

function invalidCursor() {
  return unprocessable('invalid_cursor', 'The cursor is not one that this list gave out.', [
    { path: '/cursor', code: 'invalid', message: 'is not a cursor of this list' },
  ])
}
