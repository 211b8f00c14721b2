import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxLineBytes, splitLines } from './split-lines.js'

describe('splitLines', () => {
  it.each([
    ['', ['']],
    ['one', ['one']],
    ['one\ntwo', ['one', 'two']],
    ['one\r\ntwo\rthree\n', ['one', 'two', 'three']],
    ['\n\n', ['', '']],
    ['tab\tstays', ['tab\tstays']],
    ['nul\0bell\x07esc\x1b[2J', ['nul\ufffdbell\ufffdesc\ufffd[2J']],
    ['\x1b[1;31mred\x1b[0m title\x1b]0;x\x07', ['\x1b[1;31mred\x1b[0m title\ufffd]0;x\ufffd']],
    ['half \ud83d pair', ['half \ufffd pair']],
    ['whole 😀 pair', ['whole 😀 pair']],
  ])('%j', (message, lines) => expect(splitLines(message)).toEqual(lines))

  it('cuts a long line without breaking a character', () => {
    const lines = splitLines('é😀'.repeat(20_000))
    expect(lines.join('')).toBe('é😀'.repeat(20_000))
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(maxLineBytes)
  })

  it('bounds a message of any size', () => {
    const lines = splitLines('x'.repeat(5_000_000))
    expect(lines.length).toBeLessThan(100)
    expect(lines.at(-1)).toMatch(/more characters were cut off/)
  })

  it('answers printable lines within the limit, whatever it is given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), fc.integer({ min: 1, max: 400 }), (text, times) =>
        splitLines(text.repeat(times)).every(
          (line) =>
            Buffer.byteLength(line) <= maxLineBytes &&
            // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are kept
            !/(?!\t)[\p{Cc}\p{Cs}]/u.test(line.replaceAll(/\u001b\[[0-9;]{0,24}m/g, '')),
        ),
      ),
      { numRuns: 50 },
    )
  })
})
