import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { ContractContext } from '../contract.js'
import type { LogLine, LogScope } from '../port.js'
import { epoch, logLine } from './samples.js'

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a suite is a list of cases.
export function logContract({ store, replica, projectId }: ContractContext): void {
  const newPlace = () => ({ projectId, runId: randomUUID(), jobId: randomUUID() })
  const messages = async (scope: LogScope, limit = 100): Promise<string[]> =>
    (await store().readLogs(scope, { limit })).lines.map((line) => line.message)

  async function sweep(scope: LogScope, from: string | undefined, limit: number) {
    const lines: LogLine[] = []
    let position = from
    let next = from
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
    expect(await messages({ ...place, level: 'warn' })).toEqual(['warn', 'error'])
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
    const late = await store().readLogs(scope, { limit: 100, arrivedAfter: first.position })
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

  it('refuses a position that no tail has given', async () => {
    const place = newPlace()
    for (const from of ['', 'x', '1', '1.2.3.4', `${'9'.repeat(30)}.1`, "1.1'--"]) {
      await expect(store().tailLogs(place, { limit: 1, from })).rejects.toMatchObject({ reason: 'invalid_cursor' })
      await expect(store().readLogs(place, { limit: 1, arrivedAfter: from })).rejects.toMatchObject({
        reason: 'invalid_cursor',
      })
    }
  })

  it('keeps lines that hold what the store cannot', async () => {
    const place = newPlace()
    await store().appendLogs([logLine(place, { message: 'a\0b\ud800c \\u0000 "', task: 'p\0y' })])
    expect(await messages(place)).toEqual(['a\ufffdb\ufffdc \\u0000 "'])
  })
}
