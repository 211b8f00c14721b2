import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LogCursor } from '../src/postgres/log-cursor.js'
import type { PageRow } from '../src/postgres/log-row.js'
import { type Page, type PageReader, PageSource } from '../src/postgres/page-source.js'
import { type PostgresFixture, postgresFixture } from './postgres-fixture.js'

let fixture: PostgresFixture

beforeEach(async () => {
  fixture = await postgresFixture()
})
afterEach(() => fixture.destroy())

const run = (key: string, sequence = 1) => ({
  topic: 'workflow.updated' as const,
  key,
  sequence,
  data: { runId: key, projectId: 'p', status: 'running', version: sequence },
})

/** The pool, how many queries went through it, and how many rows came back. */
function countingPool() {
  let queries = 0
  let received = 0
  const query = async (config: string) => {
    queries += 1
    const result = await fixture.pool.query<PageRow>(config)
    received += result.rows.length
    return result
  }
  const pool = new Proxy(fixture.pool, {
    get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)),
  })
  return { pool, count: () => queries, rows: () => received }
}

describe('pages of the log', () => {
  test('groups that read the same tail share their queries', async () => {
    const { pool: counting, count } = countingPool()
    const pages = new PageSource(counting)
    await fixture.publish(Array.from({ length: 2_500 }, (_, i) => run(`k${i}`)))
    const readAll = async (pauseMs: number) => {
      const reader = pages.open(['workflow.updated'])
      const ids: number[] = []
      for (;;) {
        const { rows, more } = await reader.read(ids.at(-1) ?? 0)
        ids.push(...rows.map((row) => row.id))
        if (!more) return ids
        await delay(pauseMs)
      }
    }
    const results = await Promise.all([0, 0, 3, 5, 10, 20].map(readAll))
    for (const ids of results) expect(ids).toEqual(Array.from({ length: 2_500 }, (_, i) => i + 1))
    // Three pages, and for each reader at most one look beyond the end.
    expect(count()).toBeLessThanOrEqual(3 + 6)
  })

  test('readers that are woken together at the end of the log ask once, and believe the answer', async () => {
    const { pool, count } = countingPool()
    const pages = new PageSource(pool).open(['workflow.updated'])
    await fixture.publish([run('a')])
    const look = () => Promise.all(Array.from({ length: 5 }, () => pages.read(1)))
    expect(await look()).toEqual(Array.from({ length: 5 }, () => ({ rows: [], more: false })))
    expect(count()).toBe(1)
    // A query that was under way before a reader was woken may be older than what woke it.
    const locked = await fixture.pool.connect()
    await locked.query('begin')
    await locked.query('lock table log')
    const first = pages.read(1)
    await delay(1)
    const later = pages.read(1)
    await locked.query('commit')
    locked.release()
    expect([(await first).more, (await later).more]).toEqual([false, true])
  })

  test('of topics that nobody reads only the ends of gaps and of pages are sent, and no id is unaccounted for', async () => {
    const other = { topic: 'audit.recorded' as const, key: 'k', data: { actor: 'a', action: 'b' } }
    const others = (count: number) => fixture.publish(Array.from({ length: count }, () => other))
    await others(300)
    await fixture.publish([run('first')])
    const open = await fixture.publishLater([run('late'), run('later')])
    await others(300)
    await fixture.publish([run('second')])
    await others(5)
    const pages = new PageSource(fixture.pool).open(['workflow.updated'])
    const { rows, more } = await pages.read(0)
    expect(more).toBe(false)
    expect(rows.map(({ id, previous, topic }) => [id, previous, topic])).toEqual([
      [301, 300, 'workflow.updated'],
      [304, 301, null],
      [604, 603, 'workflow.updated'],
      [609, 608, null],
    ])
    const cursor = new LogCursor({ pool: fixture.pool, pages, topics: ['workflow.updated'] }, 0)
    const read = async () => (await cursor.next(1, AbortSignal.timeout(5_000))).events.map(({ key }) => key)
    expect(await read()).toEqual(['first', 'second'])
    expect(cursor.safePosition).toBe(301)
    await open.commit()
    expect(await read()).toEqual(['late', 'later'])
    expect(cursor.safePosition).toBe(609)
  })

  test('what a lagging reader will read is not sent to the others, and is whole when it reads it', async () => {
    const { pool, count, rows } = countingPool()
    const source = new PageSource(pool)
    const [prompt, lagging] = [source.open(['task.updated']), source.open(['workflow.updated'], { mayLag: true })]
    const readOn = async (reader: PageReader, from: number) => {
      const seen: PageRow[] = []
      for (let page: Page | undefined; page?.more !== false; ) {
        page = await reader.read(seen.at(-1)?.id ?? from)
        seen.push(...page.rows)
      }
      return seen.filter(({ topic }) => topic === 'workflow.updated').map(({ id }) => id)
    }
    const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i + 1)
    await fixture.publish(ids(0, 10).map((i) => run(`k${i}`)))
    expect(await readOn(lagging, 0)).toEqual(ids(0, 10))
    // Near the end of the log one query serves both.
    await fixture.publish(ids(10, 20).map((i) => run(`k${i}`)))
    await readOn(prompt, 10)
    const queries = count()
    expect(await readOn(lagging, 10)).toEqual(ids(10, 20))
    expect(count() - queries).toBeLessThanOrEqual(1)
    for (let i = 0; i < 3; i += 1) await fixture.publish(ids(0, 1_000).map((k) => run(`k${k}`)))
    const sent = rows()
    await readOn(prompt, 20)
    expect(rows() - sent).toBeLessThan(1_010)
    await fixture.publish(ids(0, 5).map((k) => run(`l${k}`)))
    await readOn(prompt, 3_020)
    expect(await readOn(lagging, 20)).toEqual(ids(20, 3_025))
  })

  test('a page stays small when its events are large', async () => {
    const noise = Array.from({ length: 200_000 }, () => Math.random().toString(36).slice(2, 12)).join('')
    const large = {
      topic: 'workflow.completed' as const,
      key: 'k',
      data: { runId: 'r', projectId: 'p', status: 'x', outputJson: noise },
    }
    for (let i = 0; i < 12; i += 1) await fixture.publish([large])
    const pages = new PageSource(fixture.pool).open(['workflow.completed'])
    const first = await pages.read(0)
    expect(first.rows.length).toBeLessThan(12)
    expect(first.more).toBe(true)
  })
})
