import { describe, expect, it } from 'vitest'
import { appendLines, emptyLog, filterLines, keptLines, type LogLine, NdjsonSplitter } from './log-buffer'

const line = (seq: number, more: Partial<LogLine> = {}): LogLine => ({
  seq,
  at: '',
  level: 'info',
  message: `line ${seq}`,
  attempt: 1,
  ...more,
})
const lines = (from: number, count: number) => Array.from({ length: count }, (_, index) => line(from + index))

describe('a log as it comes', () => {
  it('takes what a resumed stream repeats once, and a second attempt from its own first line', () => {
    const buffer = appendLines(appendLines(emptyLog, lines(1, 3)), [line(2), line(3), line(4), line(1, { attempt: 2 })])
    expect(buffer.lines.map(({ attempt, seq }) => [attempt, seq])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
      [1, 4],
      [2, 1],
    ])
  })

  it('keeps the lines of a lost worker’s attempt and those of the worker that took it over', () => {
    const first = appendLines(emptyLog, [line(1, { leaseId: 'a' }), line(2, { leaseId: 'a' })])
    const buffer = appendLines(first, [line(2, { leaseId: 'a' }), line(1, { leaseId: 'b' }), line(2, { leaseId: 'b' })])
    expect(buffer.lines.map(({ leaseId, seq }) => `${leaseId}${seq}`)).toEqual(['a1', 'a2', 'b1', 'b2'])
  })

  it('is bounded, and counts what it let go', () => {
    let buffer = emptyLog
    for (let batch = 0; batch < 30; batch += 1) buffer = appendLines(buffer, lines(batch * 5_000 + 1, 5_000))
    expect(buffer.lines.length).toBeLessThanOrEqual(keptLines + 5_000)
    expect(buffer.lines.length + buffer.dropped).toBe(150_000)
    expect(buffer.lines.at(-1)?.seq).toBe(150_000)
  })

  it('is filtered by level and text', () => {
    const some = [line(1), line(2, { level: 'warn' }), line(3, { level: 'error', message: 'Disk full' })]
    expect(filterLines(some, { level: 'warn', text: '' })).toHaveLength(2)
    expect(filterLines(some, { level: 'debug', text: 'DISK' })).toEqual([some[2]])
    expect(filterLines(some, { level: 'debug', text: '' })).toBe(some)
  })

  it('puts lines together that were cut anywhere', () => {
    const text = `${JSON.stringify(line(1))}\n${JSON.stringify(line(2, { message: 'é\n' }))}\n`
    const splitter = new NdjsonSplitter()
    const read = [...text].flatMap((character) => splitter.push(character))
    expect(read.map(({ message }) => message)).toEqual(['line 1', 'é\n'])
  })
})
