import { describe, expect, it } from 'vitest'
import { parseAnsi } from './ansi'
import type { LogLine } from './log-buffer'
import { markPieces, matchesIn, nextMatch } from './log-search'

const line = (message: string): LogLine => ({ seq: 1, at: '', level: 'info', message, attempt: 1 })
const marked = (text: string, needle: string) =>
  markPieces(parseAnsi(text), needle).map((piece) => (piece.marked ? `<${piece.text}>` : piece.text))

describe('what is looked for in a log', () => {
  it('is found whatever its case and colours', () => {
    const lines = [line('all well'), line('\u001b[31mERR\u001b[0mor: x'), line('an Error')]
    expect(matchesIn(lines, 'error')).toEqual([1, 2])
    expect(matchesIn(lines, '31m')).toEqual([])
    expect(matchesIn(lines, '')).toEqual([])
  })

  it('is marked where it is, also across colours, and nothing else is', () => {
    expect(marked('an error, an Error', 'error')).toEqual(['an ', '<error>', ', an ', '<Error>'])
    expect(marked('a \u001b[31mERR\u001b[0mor.', 'error')).toEqual(['a ', '<ERR>', '<or>', '.'])
    expect(marked('aaa', 'aa')).toEqual(['<aa>', 'a'])
    expect(marked('plain', 'x')).toEqual(['plain'])
  })

  it('is gone through forth and back, around the ends', () => {
    expect(nextMatch(3, undefined, 1)).toBe(0)
    expect(nextMatch(3, undefined, -1)).toBe(2)
    expect(nextMatch(3, 2, 1)).toBe(0)
    expect(nextMatch(3, 0, -1)).toBe(2)
    expect(nextMatch(0, undefined, 1)).toBeUndefined()
  })
})
