import { randomUUID } from 'node:crypto'
import { createPostgresJobStore, type JobStore, type LogLine, type LogScope, NO_LEASE } from '@millrace/job-store'
import { createPool, type Pool } from '@millrace/postgres'
import { type TestDatabase, testDatabase, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultFollow } from '../src/config.js'
import { type FollowOptions, followLogs } from '../src/logs/follow-logs.js'
import { RunFeeds } from '../src/logs/run-feeds.js'
import { RunHints } from '../src/logs/run-hints.js'
import { holdTransaction } from './harness.js'

let database: TestDatabase
let pool: Pool
let store: JobStore
beforeAll(async () => {
  database = await testDatabase()
  pool = createPool({ connectionString: database.url, schema: 'metadata' })
  store = createPostgresJobStore({ pool, schema: 'metadata' })
  await store.prepare()
})
afterAll(async () => {
  await store.close()
  await database.drop()
})

const began = Date.now()
const config = { ...defaultFollow, pollMs: 50, graceMs: 50 }

/** One run, followed as the service does, with a count of reads. */
class Followed {
  readonly run = { projectId: randomUUID(), runId: randomUUID() }
  readonly jobs = [randomUUID(), randomUUID()]
  reads = 0
  private endedAt: number | undefined
  private seq = 0
  private readonly hints = new RunHints()
  private readonly aborter = new AbortController()
  private readonly counted: Pick<JobStore, 'tailLogs' | 'skipLogs'> = {
    tailLogs: (scope, page) => {
      this.reads += 1
      return store.tailLogs(scope, page)
    },
    skipLogs: (scope, skip) => store.skipLogs(scope, skip),
  }
  private readonly feeds = new RunFeeds(this.counted, this.hints, config)

  follow(filter: Partial<LogScope> = {}, hold: () => Promise<void> = async () => undefined): Reader {
    const scope = { ...this.run, ...filter }
    const reader = new Reader(hold)
    const { counted, aborter } = this
    const options: Omit<FollowOptions, 'feed'> = {
      store: counted,
      ...{ scope, config, format: 'ndjson', from: undefined, limit: Number.POSITIVE_INFINITY, atEnd: false },
      finishedAt: async () => this.endedAt,
      writer: reader,
      signal: aborter.signal,
    }
    reader.done = this.feeds.follow(scope.projectId, scope.runId, (feed) => followLogs({ ...options, feed }))
    return reader
  }

  async append(count: number, message = 'text'): Promise<void> {
    const lines: LogLine[] = Array.from({ length: count }, () => {
      this.seq += 1
      const jobId = this.jobs[this.seq % 2] ?? ''
      const at = new Date(began + this.seq)
      const level = this.seq % 4 < 2 ? 'info' : 'error'
      return {
        ...{ ...this.run, jobId, task: 'pay', attempt: 1, leaseId: NO_LEASE, seq: this.seq, at, level },
        ...{ stream: 'stdout', message },
      }
    })
    await store.appendLogs(lines)
    this.hints.notify([this.run.runId], 'lines')
  }

  end(): void {
    this.endedAt = Date.now()
    this.hints.notify([this.run.runId], 'record')
  }

  stop(): void {
    this.aborter.abort()
  }
}

class Reader {
  seqs: number[] = []
  done: Promise<void> = Promise.resolve()

  constructor(private readonly hold: () => Promise<void>) {}

  async lines(lines: readonly { seq: number }[]): Promise<void> {
    this.seqs.push(...lines.map(({ seq }) => seq))
    await this.hold()
  }

  async encoded(bytes: Buffer): Promise<void> {
    const texts = bytes
      .toString()
      .split('\n')
      .filter((text) => text !== '')
    await this.lines(texts.map((text) => JSON.parse(text)))
  }

  missed(): Promise<void> {
    return Promise.reject(new Error('nobody asked for the end'))
  }
}

const numbers = (last: number, wanted: (seq: number) => boolean = () => true) =>
  Array.from({ length: last }, (_, i) => i + 1).filter(wanted)

describe('many followers of one run', () => {
  it('share reads, whichever of its lines they want, and end with it', async () => {
    const followed = new Followed()
    await followed.append(10)
    const kinds: [Partial<LogScope>, (seq: number) => boolean][] = [
      [{}, () => true],
      [{ jobId: followed.jobs[1] ?? '' }, (seq) => seq % 2 === 1],
      [{ levels: ['error'] }, (seq) => seq % 4 >= 2],
      [{ afterSeq: 25 }, (seq) => seq > 25],
    ]
    const readers = Array.from({ length: 100 }, (_, i) => followed.follow(kinds[i % 4]?.[0]))
    await waitFor(() => readers[0]?.seqs.length === 10 && readers[99]?.seqs.length === 0 && followed.reads > 100)
    const joined = followed.reads
    for (let i = 0; i < 20; i += 1) {
      await followed.append(2)
      await waitFor(() => readers[0]?.seqs.length === 12 + 2 * i)
    }
    // A hundred followers that read by themselves would have read two thousand times.
    expect(followed.reads - joined).toBeLessThan(200)
    followed.end()
    await Promise.all(readers.map((reader) => reader.done))
    for (const [i, { seqs }] of readers.entries()) expect(seqs).toEqual(numbers(50, kinds[i % 4]?.[1]))
  })

  it.each([
    ['', false],
    [', though an open transaction leaves every line unsettled', true],
  ])('do not wait for a slow one, which gets every line once all the same%s', async (_, held) => {
    const followed = new Followed()
    const release = held ? await holdTransaction(pool) : async () => undefined
    let free: () => void = () => undefined
    const blocked = new Promise<void>((resolve) => {
      free = resolve
    })
    const slow = followed.follow({}, () => blocked)
    const fast = followed.follow()
    await followed.append(1)
    await waitFor(() => slow.seqs.length === 1)
    for (let i = 0; i < 30; i += 1) await followed.append(100)
    await waitFor(() => fast.seqs.length === 3_001)
    expect(slow.seqs.length).toBeLessThan(200)
    free()
    if (held) await waitFor(() => slow.seqs.length === 3_001)
    await release()
    followed.end()
    await Promise.all([slow.done, fast.done])
    // Lines of one append may be on two pages, each in its own order.
    for (const { seqs } of [fast, slow]) expect(seqs.toSorted((a, b) => a - b)).toEqual(numbers(3_001))
  })

  it('give a line once also to one that comes while an open transaction keeps it unsettled', async () => {
    const followed = new Followed()
    const release = await holdTransaction(pool)
    const first = followed.follow()
    await followed.append(3)
    await waitFor(() => first.seqs.length === 3)
    const second = followed.follow()
    await waitFor(() => second.seqs.length === 3)
    await followed.append(2)
    await waitFor(() => second.seqs.length === 5)
    await release()
    await followed.append(1)
    followed.end()
    await Promise.all([first.done, second.done])
    expect([first.seqs, second.seqs]).toEqual([numbers(6), numbers(6)])
  })

  it('fail with their feed, and who comes next has another', async () => {
    const followed = new Followed()
    const first = followed.follow()
    await followed.append(1)
    await waitFor(() => first.seqs.length === 1)
    const { tailLogs } = store
    store.tailLogs = () => Promise.reject(new Error('the store is away'))
    try {
      await expect(first.done).rejects.toThrow('the store is away')
    } finally {
      store.tailLogs = tailLogs
    }
    const second = followed.follow()
    await waitFor(() => second.seqs.length === 1)
    followed.stop()
    await second.done
  })
})
