import pg from 'pg'

const oid = { bytea: 17, int8: 20, int8Array: 1016, date: 1082, timestamp: 1114, timestamptz: 1184 }

const asIs = (text: string): string => text

/** JSON has no bytes, no dates and no whole numbers beyond 2^53: text stands in where a number or a time would lie. */
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [oid.int8, safeInteger],
  [oid.bytea, (text) => Buffer.from(text.replace(/^\\x/, ''), 'hex').toString('base64')],
  // A day and a time without zone are no moments: the driver would shift them by the worker's own zone.
  [oid.date, asIs],
  [oid.timestamp, asIs],
  [oid.timestamptz, isoTime],
])

function safeInteger(text: string): number | string {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : text
}

function isoTime(text: string): string {
  const at = new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'))
  return Number.isNaN(at.getTime()) ? text : at.toISOString()
}

export const sqlTypes: pg.CustomTypesConfig = {
  getTypeParser: ((type: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : parsers.get(type)) ??
    pg.types.getTypeParser(type, format ?? 'text')) as typeof pg.types.getTypeParser,
}
