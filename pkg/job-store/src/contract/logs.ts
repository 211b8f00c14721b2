import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { ContractContext } from '../contract.js'
import type { LogScope, PlacedLine } from '../port.js'
import { epoch, logLine } from './samples.js'

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a suite is a list of cases.
export function logContract({ store, replica, projectId }: ContractContext): void {
  const newPlace = () => ({ projectId, runId: randomUUID(), jobId: randomUUID() })
  const messages = async (scope: LogScope, limit = 100): Promise<string[]> =>
    (await store().readLogs(scope, { limit })).lines.map((line) => line.message)

  const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)

  async function sweep(scope: LogScope, after: string | undefined, limit: number) {
    const lines: PlacedLine[] = []
    let position = after
    let next = after
    for (;;) {
      const page = await store().tailLogs(scope, { limit, ...(next === undefined ? {} : { from: next }) })
      lines.push(...page.lines)
      position = page.position
      if (page.next === null) return { lines, position }
      next = page.next
    }
  }

  it('keeps the first line of each place, whoever repeats it', async () => {
    const place = newPlace()
    const lines = [2, 1, 3].map((seq) => logLine(place, { seq }))
    await store().appendLogs(lines)
    await Promise.all([
      store().appendLogs(lines.map((line) => ({ ...line, message: 'again' }))),
      replica().appendLogs(lines.toReversed()),
      replica().appendLogs([logLine(place, { seq: 4 }), logLine(place, { seq: 4 })]),
    ])
    expect(await messages(place)).toEqual(['line 1', 'line 2', 'line 3', 'line 4'])
  })

  it('keeps the lines of every lease of an attempt, in order of time', async () => {
    const place = newPlace()
    const line = (leaseId: string, seq: number, at: number, message: string) =>
      logLine(place, { leaseId, seq, at: new Date(epoch + at), message })
    const [first, second] = [randomUUID(), randomUUID()]
    const lines = [line(first, 1, 1, 'a'), line(first, 2, 2, 'b'), line(second, 1, 30, 'c'), line(second, 2, 30, 'd')]
    await store().appendLogs(lines.slice(0, 2))
    await store().appendLogs(lines.slice(2))
    await replica().appendLogs(lines)
    expect(await messages(place)).toEqual(['a', 'b', 'c', 'd'])
    const pages: string[] = []
    let next: string | undefined
    do {
      const page = await store().readLogs(place, { limit: 1, ...(next === undefined ? {} : { next }) })
      pages.push(...page.lines.map(({ message }) => message))
      next = page.next ?? undefined
    } while (next !== undefined)
    expect(pages).toEqual(['a', 'b', 'c', 'd'])
    expect((await sweep(place, undefined, 3)).lines.map(({ leaseId, seq }) => [leaseId, seq])).toEqual(
      lines.map(({ leaseId, seq }) => [leaseId, seq]),
    )
  })

  it("does not let one project take the place of another's line", async () => {
    const place = newPlace()
    await store().appendLogs([logLine({ ...place, projectId: randomUUID() }, { message: 'foreign' })])
    await store().appendLogs([logLine(place, { message: 'own' })])
    expect(await messages(place)).toEqual(['own'])
  })

  it('reads a job by attempt and number, a run by time and then arrival', async () => {
    const place = newPlace()
    const sibling = { ...place, jobId: randomUUID() }
    await store().appendLogs([logLine(place, { attempt: 2, at: new Date(epoch), message: 'b' })])
    await store().appendLogs([logLine(sibling, { at: new Date(epoch), message: 'c' })])
    await store().appendLogs([logLine(place, { attempt: 1, at: new Date(epoch + 5), message: 'a' })])
    expect(await messages(place)).toEqual(['a', 'b'])
    expect(await messages({ projectId, runId: place.runId })).toEqual(['b', 'c', 'a'])
  })

  it('filters by attempt, level and number, and never crosses projects', async () => {
    const place = newPlace()
    const levels = ['debug', 'info', 'warn', 'error'] as const
    await store().appendLogs(levels.map((level, i) => logLine(place, { seq: i + 1, level, message: level })))
    await store().appendLogs([logLine(place, { attempt: 2, message: 'second' })])
    expect(await messages({ ...place, levels: ['warn', 'error'] })).toEqual(['warn', 'error'])
    expect(await messages({ ...place, attempt: 2 })).toEqual(['second'])
    expect(await messages({ ...place, attempt: 1, afterSeq: 2 })).toEqual(['warn', 'error'])
    expect(await messages({ ...place, projectId: randomUUID() })).toEqual([])
    expect(await store().countLogs(projectId, place.runId, place.jobId)).toEqual({
      lines: 5,
      bytes: 24,
      byLevel: { debug: 1, info: 2, warn: 1, error: 1 },
    })
  })

  it('reads by pages without loss or repetition', async () => {
    const place = newPlace()
    await store().appendLogs(Array.from({ length: 25 }, (_, i) => logLine(place, { seq: i + 1, at: new Date(epoch) })))
    for (const scope of [place, { projectId, runId: place.runId }]) {
      const seqs: number[] = []
      let next: string | null | undefined
      while (next !== null) {
        const page = await store().readLogs(scope, { limit: 10, ...(next === undefined ? {} : { next }) })
        seqs.push(...page.lines.map((line) => line.seq))
        next = page.next
      }
      expect(seqs).toEqual(Array.from({ length: 25 }, (_, i) => i + 1))
    }
  })

  it('tails what arrives after a position, however old its time', async () => {
    const place = newPlace()
    const scope = { projectId, runId: place.runId }
    await store().appendLogs(Array.from({ length: 25 }, (_, i) => logLine(place, { seq: i + 1 })))
    const first = await sweep(scope, undefined, 10)
    expect(new Set(first.lines.map((line) => line.seq)).size).toBe(25)
    await replica().appendLogs([logLine(place, { seq: 26, at: new Date(0) })])
    const second = await sweep(scope, first.position, 10)
    expect(second.lines.map((line) => line.seq)).toContain(26)
    const late = await store().readLogs(scope, { limit: 100, after: first.position })
    expect(late.lines.map((line) => line.seq)).toContain(26)
  })

  it('misses no line while many writers append at once', async () => {
    const place = newPlace()
    const scope = { projectId, runId: place.runId }
    let writing = true
    const writers = Array.from({ length: 8 }, async (_, w) => {
      for (let i = 1; i <= 25; i += 1) {
        await (w % 2 ? store() : replica()).appendLogs([
          logLine({ ...place, jobId: place.jobId }, { attempt: w + 1, seq: i }),
        ])
      }
    })
    const done = Promise.all(writers).finally(() => {
      writing = false
    })
    const seen = new Set<string>()
    let position: string | undefined
    do {
      const swept = await sweep(scope, position, 7)
      for (const line of swept.lines) seen.add(`${line.attempt}/${line.seq}`)
      position = swept.position
    } while (writing)
    await done
    for (const line of (await sweep(scope, position, 7)).lines) seen.add(`${line.attempt}/${line.seq}`)
    expect(seen.size).toBe(200)
  })

  it('takes the same lines from two writers at once, in any order', async () => {
    const place = newPlace()
    const lines = Array.from({ length: 400 }, (_, i) => logLine(place, { seq: i + 1 }))
    await Promise.all(
      [1, 2, 3, 4].map((n) => (n % 2 ? store() : replica()).appendLogs(n % 2 ? lines : lines.toReversed())),
    )
    expect(await messages(place, 1_000)).toHaveLength(400)
  })

  it('filters by task and by time, half open', async () => {
    const place = newPlace()
    const other = { ...place, jobId: randomUUID() }
    await store().appendLogs([1, 2, 3].map((seq) => logLine(place, { seq, message: `pay ${seq}` })))
    await store().appendLogs([logLine(other, { seq: 2, task: 'ship', message: 'ship' })])
    const scope = { projectId, runId: place.runId }
    expect(await messages({ ...scope, task: 'ship' })).toEqual(['ship'])
    expect(await messages({ ...scope, task: 'pay', from: new Date(epoch + 2) })).toEqual(['pay 2', 'pay 3'])
    expect(await messages({ ...scope, from: new Date(epoch + 1), to: new Date(epoch + 2) })).toEqual(['pay 1'])
    expect(await messages({ ...scope, task: "'--" })).toEqual([])
  })

  it('goes on after the position of any line, with every line that comes later in reading order or in time', async () => {
    const place = newPlace()
    await store().appendLogs(Array.from({ length: 5 }, (_, i) => logLine(place, { seq: i + 1 })))
    for (const scope of [place, { projectId, runId: place.runId }]) {
      const all = (await store().readLogs(scope, { limit: 100 })).lines
      for (const read of all) {
        const rest = (await replica().readLogs(scope, { limit: 100, after: read.position })).lines
        expect(rest.map(({ seq }) => seq)).toEqual(expect.arrayContaining(from(read.seq + 1, 5)))
        const tailed = (await sweep(scope, read.position, 3)).lines
        expect(tailed.map(({ seq }) => seq)).toEqual(expect.arrayContaining(from(read.seq + 1, 5)))
      }
      const swept = (await sweep(scope, undefined, 3)).lines
      const third = swept.find(({ seq }) => seq === 3)?.position
      const rest = (await store().readLogs(scope, { limit: 100, ...(third !== undefined && { after: third }) })).lines
      expect(rest.map(({ seq }) => seq)).toEqual(expect.arrayContaining(from(4, 5)))
    }
  })

  it('gives a line that arrived after a read and belongs before where it stopped', async () => {
    const place = newPlace()
    await store().appendLogs([logLine(place, { seq: 5 }), logLine(place, { seq: 6 })])
    for (const scope of [place, { projectId, runId: place.runId }]) {
      const seq = scope === place ? 2 : 1
      const last = (await store().readLogs(scope, { limit: 100 })).lines.at(-1)?.position ?? ''
      await replica().appendLogs([logLine(place, { seq, at: new Date(epoch - 1_000) })])
      const late = await store().readLogs(scope, { limit: 100, after: last })
      expect(late.lines.map((line) => line.seq)).toContain(seq)
      expect((await sweep(scope, last, 10)).lines.map((line) => line.seq)).toContain(seq)
    }
  })

  it('skips all but the last lines, and says how many were skipped since a position', async () => {
    const place = newPlace()
    const scope = { projectId, runId: place.runId }
    const none = await store().skipLogs(scope, { keep: 0, settled: false })
    expect(none).toEqual({ position: undefined, count: 0 })
    for (let i = 1; i <= 9; i += 1) await store().appendLogs([logLine(place, { seq: i })])
    const { position } = await store().skipLogs(scope, { keep: 3, settled: false })
    const read = async (after: string | undefined) =>
      (await store().readLogs(scope, { limit: 100, ...(after !== undefined && { after }) })).lines.map(({ seq }) => seq)
    expect(await read(position)).toEqual([7, 8, 9])
    expect((await store().skipLogs(scope, { keep: 9, settled: false })).position).toBeUndefined()
    const further = await store().skipLogs(scope, { keep: 1, settled: false, ...(position && { from: position }) })
    expect(further.count).toBe(2)
    expect(await read(further.position)).toEqual([9])
    const settled = await store().skipLogs(scope, { keep: 3, settled: true })
    expect(await read(settled.position)).toEqual(expect.arrayContaining([7, 8, 9]))
  })

  it('ends a sweep at a position, before exactly those lines that a sweep from there gives', async () => {
    const place = newPlace()
    const scope = { projectId, runId: place.runId }
    await store().appendLogs([1, 2, 3].map((seq) => logLine(place, { seq })))
    const { position: until } = await store().tailLogs(scope, { limit: 100 })
    await store().appendLogs([4, 5].map((seq) => logLine(place, { seq })))
    const seqsOf = (page: { lines: { seq: number }[] }) => page.lines.map(({ seq }) => seq)
    const before = await store().tailLogs(scope, { limit: 100, until })
    const after = await store().tailLogs(scope, { limit: 100, from: until })
    expect([...seqsOf(before), ...seqsOf(after)]).toEqual([1, 2, 3, 4, 5])
    expect(seqsOf(after)).toEqual(expect.arrayContaining([4, 5]))
    expect(before.next).toBeNull()
    expect(seqsOf(await store().tailLogs(scope, { limit: 100, from: before.position }))).toEqual(seqsOf(after))
    expect((await store().tailLogs(scope, { limit: 100, from: until, until })).lines).toEqual([])
  })

  it('refuses a position that nothing has given out', async () => {
    const place = newPlace()
    const odd = ['', 'x', '1', '1.2.3.4', `${'9'.repeat(30)}.1`, "1.1'--", '1.1~2', '1.1~x~y', 'a1~2~', '1.1~1~j_1']
    for (const from of [...odd, `1.1~1~j_9999999999_1_1_${place.jobId}`, 'a1~1~r_1_1_', '1.1~1~r_1_1~1']) {
      const refused = { reason: 'invalid_cursor' }
      await expect(store().tailLogs(place, { limit: 1, from })).rejects.toMatchObject(refused)
      await expect(store().readLogs(place, { limit: 1, after: from })).rejects.toMatchObject(refused)
      await expect(store().skipLogs(place, { keep: 1, settled: true, from })).rejects.toMatchObject(refused)
    }
  })

  it('keeps lines that hold what the store cannot', async () => {
    const place = newPlace()
    await store().appendLogs([logLine(place, { message: 'a\0b\ud800c \\u0000 "', task: 'p\0y' })])
    expect(await messages(place)).toEqual(['a\ufffdb\ufffdc \\u0000 "'])
  })
}
