export interface ByteRange {
  start: number
  end: number
}

export type RangeAnswer = { kind: 'whole' } | { kind: 'part'; range: ByteRange } | { kind: 'unsatisfiable' }

const whole: RangeAnswer = { kind: 'whole' }

/**
 * RFC 9110, 14.2: what is not understood is ignored. That goes for several ranges too: each allows the sender to answer
 * with the whole, and a multipart answer has been a way to make servers work hard for nothing.
 */
export function resolveRange(header: string | undefined, size: number): RangeAnswer {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '')
  if (match === null) return whole
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return whole
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? { kind: 'unsatisfiable' } : { kind: 'part', range: { start: size - length, end: size - 1 } }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return whole
  return start >= size ? { kind: 'unsatisfiable' } : { kind: 'part', range: { start, end } }
}
