import { unprocessable } from '@millrace/errors'

/**
 * Where a reader of logs may go on: after `bound` in the order of arrival. A position that a read by place gave out also
 * says what that read had given: everything up to `place` that had arrived before `horizon`. A line that arrived later
 * but belongs before `place` is then still given.
 */
export interface LogPosition {
  bound: string
  seen: { horizon: string; place: string } | undefined
}

const SEPARATOR = '~'

export const invalidPosition = () => unprocessable('invalid_cursor', 'The cursor is not valid.')

export function parseLogPosition(text: string): LogPosition {
  const [bound, horizon, place, ...rest] = text.split(SEPARATOR)
  if (bound === undefined || rest.length > 0) throw invalidPosition()
  if (horizon === undefined) return { bound, seen: undefined }
  if (place === undefined) throw invalidPosition()
  return { bound, seen: { horizon, place } }
}

export function formatLogPosition({ bound, seen }: LogPosition): string {
  return seen === undefined ? bound : [bound, seen.horizon, seen.place].join(SEPARATOR)
}
