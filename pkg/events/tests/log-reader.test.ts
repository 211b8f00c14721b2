import { setTimeout as delay } from 'node:timers/promises'
import { withTransaction } from '@millrace/postgres'
import { metricsText } from '@millrace/telemetry'
import { waitFor } from '@millrace/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appendEvents, type EventBus, pruneEvents, recordAudit } from '../src/index.js'
import { GapSet } from '../src/postgres/gap-set.js'
import { LogCursor } from '../src/postgres/log-cursor.js'
import { readGaps } from '../src/postgres/log-sql.js'
import { PageSource } from '../src/postgres/page-source.js'
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

interface Seen {
  key: string
  sequence: number
}

const subscribe = (bus: EventBus, group: string, seen: Seen[]) =>
  bus.subscribe({
    group,
    topics: ['workflow.updated'],
    handler: async (events) => {
      for (const event of events) seen.push({ key: event.partitionkey, sequence: event.data.version })
    },
  })

const position = async (group: string) =>
  (await fixture.pool.query<{ position: number }>('select position from groups where name = $1', [group])).rows[0]
    ?.position

/** The pool, and how many queries went through it. */
function countingPool() {
  let queries = 0
  const pool = new Proxy(fixture.pool, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown
      if (name !== 'query') return value
      return (...args: Parameters<typeof target.query>) => {
        queries += 1
        return target.query(...args)
      }
    },
  })
  return { pool, count: () => queries }
}

describe('the gap rule', () => {
  test('a transaction has its xid before it takes an id of the log', async () => {
    const { rows } = await fixture.pool.query<{ 'QUERY PLAN': string }>(
      `explain (verbose, costs off) insert into log (topic, key, source, data) select 'a', 'b', 'c', '{}' from generate_series(1, 2)`,
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toMatch(/Output: pg_current_xact_id\(\), nextval\(/)
  })

  test('under a storm of commits, aborts, laggards and restarts nothing is lost and no key disordered', async () => {
    const committed: Seen[] = []
    const seen: Seen[] = []
    const produce = async (key: string) => {
      for (let sequence = 1; sequence <= 25; sequence += 1) {
        const aborts = Math.random() < 0.3
        await withTransaction(fixture.pool, async (tx) => {
          await appendEvents(tx, 'test', [run(key, sequence)])
          await delay(Math.random() < 0.1 ? 120 : Math.random() * 8)
          if (aborts) throw new Error('abort')
          committed.push({ key, sequence })
        }).catch(() => undefined)
      }
    }
    const reading = (async () => {
      for (let restart = 0; restart < 4; restart += 1) {
        const bus = fixture.makeBus()
        await subscribe(bus, 'g', seen)
        for (let i = 0; i < 25; i += 1) {
          bus.hint()
          await delay(10)
        }
        await bus.close()
      }
      await subscribe(fixture.makeBus(), 'g', seen)
    })()
    await Promise.all(Array.from({ length: 12 }, (_, i) => produce(`k${i}`)))
    await reading
    const name = (each: Seen) => `${each.key}:${each.sequence}`
    await waitFor(() => {
      const delivered = new Set(seen.map(name))
      return committed.every((each) => delivered.has(name(each)))
    })
    const firstTimes = seen.filter((each, i) => seen.findIndex((other) => name(other) === name(each)) === i)
    for (let i = 0; i < 12; i += 1) {
      const sequences = firstTimes.filter((each) => each.key === `k${i}`).map((each) => each.sequence)
      expect(sequences).toEqual([...sequences].sort((a, b) => a - b))
    }
    expect(new Set(seen.map(name)).size).toBe(committed.length)
  })

  test('a gap of an open transaction is kept, also if that is younger than all that have ended', async () => {
    // The older transaction ends first: the snapshot's xmax is then its own xid plus one, below that of the open one.
    const older = await fixture.pool.connect()
    await older.query('begin')
    await older.query('select pg_current_xact_id()')
    const open = await fixture.publishLater([run('late')])
    await appendEvents(older, 'test', [run('early')])
    await older.query('commit')
    older.release()
    const gaps = new GapSet()
    gaps.add(1, 1)
    const look = async () => {
      const { rows, snapshot } = await readGaps(fixture.pool, gaps, 10, ['workflow.updated'])
      gaps.fill(rows.map(({ id }) => id))
      gaps.settle(snapshot)
      return rows.map(({ key }) => key)
    }
    for (let i = 0; i < 4; i += 1) expect(await look()).toEqual([])
    expect(gaps.size).toBe(1)
    await open.commit()
    expect(await look()).toEqual(['late'])
    expect(gaps.isEmpty).toBe(true)
  })

  test('someone else’s long transaction holds back no event, only the forgetting', async () => {
    const seen: Seen[] = []
    const bus = fixture.makeBus()
    await subscribe(bus, 'g', seen)
    const stranger = await fixture.pool.connect()
    await stranger.query('begin')
    await stranger.query('select pg_current_xact_id()')
    const doomed = await fixture.publishLater([run('never')])
    await fixture.publish([run('a')])
    await doomed.abort()
    await fixture.publish([run('b')])
    await waitFor(() => seen.length === 2)
    await delay(700)
    expect(await position('g')).toBe(0)
    await stranger.query('rollback')
    stranger.release()
    await waitFor(async () => (await position('g')) === 3)
  })
})

describe('when connections are lost', () => {
  test('readers come back by themselves and lose nothing', async () => {
    const seen: Seen[] = []
    const bus = fixture.makeBus()
    await subscribe(bus, 'g', seen)
    for (let i = 0; i < 6; i += 1) {
      await fixture.publish([run(`k${i}`)])
      await fixture.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and application_name like 'millrace-events%'
          and application_name <> current_setting('application_name')`,
      )
    }
    await fixture.publish([run('last')])
    await waitFor(() => seen.some((each) => each.key === 'last'))
    const keys = new Set(seen.map((each) => each.key))
    expect([...keys].sort()).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'last'])
  })
})

describe('cost', () => {
  test('groups that read the same tail share their queries', async () => {
    const { pool: counting, count } = countingPool()
    const pages = new PageSource(counting)
    for (let group = 0; group < 6; group += 1) pages.addTopics(['workflow.updated'])
    await fixture.publish(Array.from({ length: 2_500 }, (_, i) => run(`k${i}`)))
    const readAll = async (pauseMs: number) => {
      const ids: number[] = []
      for (;;) {
        const { rows, more } = await pages.read(ids.at(-1) ?? 0, ['workflow.updated'])
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
    const pages = new PageSource(pool)
    pages.addTopics(['workflow.updated'])
    await fixture.publish([run('a')])
    const look = () => Promise.all(Array.from({ length: 5 }, () => pages.read(1, ['workflow.updated'])))
    expect(await look()).toEqual(Array.from({ length: 5 }, () => ({ rows: [], more: false })))
    expect(count()).toBe(1)
    // A query that was under way before a reader was woken may be older than what woke it.
    const locked = await fixture.pool.connect()
    await locked.query('begin')
    await locked.query('lock table log')
    const first = pages.read(1, ['workflow.updated'])
    await delay(1)
    const later = pages.read(1, ['workflow.updated'])
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
    const pages = new PageSource(fixture.pool)
    pages.addTopics(['workflow.updated'])
    const { rows, more } = await pages.read(0, ['workflow.updated'])
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

  test('a page stays small when its events are large', async () => {
    const noise = Array.from({ length: 200_000 }, () => Math.random().toString(36).slice(2, 12)).join('')
    const large = {
      topic: 'workflow.completed' as const,
      key: 'k',
      data: { runId: 'r', projectId: 'p', status: 'x', outputJson: noise },
    }
    for (let i = 0; i < 12; i += 1) await fixture.publish([large])
    const pages = new PageSource(fixture.pool)
    pages.addTopics(['workflow.completed'])
    const first = await pages.read(0, ['workflow.completed'])
    expect(first.rows.length).toBeLessThan(12)
    expect(first.more).toBe(true)
  })
})

describe('retention', () => {
  const age = (days: number) => fixture.pool.query(`update log set time = time - make_interval(days => $1)`, [days])
  const count = async () => (await fixture.pool.query('select count(*) as n from log')).rows[0].n as number

  test('deletes in slices what is old and was passed by every group', async () => {
    await fixture.publish(Array.from({ length: 25 }, (_, i) => run(`k${i}`)))
    await age(8)
    await fixture.publish([run('young')])
    expect(await pruneEvents(fixture.pool, { days: 7 })).toBe(0)
    await fixture.pool.query(`insert into groups (name, position) values ('fast', 26), ('slow', 20)`)
    expect(await pruneEvents(fixture.pool, { days: 7, sliceRows: 3 })).toBe(20)
    await fixture.pool.query(`update groups set position = 26`)
    expect(await pruneEvents(fixture.pool, { days: 7 })).toBe(5)
    expect(await count()).toBe(1)
  })

  test('a group that nobody has read for long holds nothing back', async () => {
    await fixture.publish([run('a')])
    await age(40)
    await fixture.pool.query(`insert into groups (name, position, seen_at) values
      ('gone', 0, now() - interval '31 days'), ('here', 1, now())`)
    expect(await pruneEvents(fixture.pool, { days: 7 })).toBe(1)
  })

  test('a new group reads what is left', async () => {
    await fixture.publish([run('a'), run('b')])
    await fixture.pool.query(`delete from log where id = 1`)
    const seen: Seen[] = []
    await subscribe(fixture.makeBus(), 'g', seen)
    await waitFor(() => seen.length === 1)
    await waitFor(async () => (await position('g')) === 2)
  })
})

test('what happens is measured', async () => {
  const seen: Seen[] = []
  await subscribe(fixture.makeBus(), 'measured', seen)
  await fixture.publishRaw('workflow.updated', 'broken', {})
  const open = await fixture.publishLater([run('open')])
  await fixture.publish([run('a')])
  await waitFor(async () => (await metricsText()).includes('millrace_events_open_gaps{group="measured"} 1'))
  await open.commit()
  const text = await waitFor(async () => {
    const current = await metricsText()
    return current.includes('millrace_events_open_gaps{group="measured"} 0') && current
  })
  expect(text).toContain('millrace_events_dead_lettered_total{group="measured",topic="workflow.updated"} 1')
  expect(text).toContain('millrace_events_handled_total{group="measured"} 2')
  await waitFor(async () => (await metricsText()).includes('millrace_events_lag{group="measured"} 0'))
})

describe('producing', () => {
  test('a producer that breaks the contract is told, and its transaction with it', async () => {
    const wrong = { topic: 'workflow.updated' as const, key: 'k', data: { projectId: 'p' } }
    await expect(fixture.publish([wrong])).rejects.toThrow('workflow.updated: runId is missing')
  })

  test('values that jsonb would refuse pass through whole', async () => {
    const seen: string[] = []
    const bus = fixture.makeBus()
    const topics = ['workflow.completed'] as const
    await bus.subscribe({
      group: 'g',
      topics,
      handler: async (events) => {
        for (const event of events) seen.push(event.data.outputJson)
      },
    })
    const outputJson = JSON.stringify({ nul: '\0', lone: '\ud800', text: 'ä€😀' })
    const data = { runId: 'r', projectId: 'p', status: 'succeeded', outputJson }
    await fixture.publish([{ topic: 'workflow.completed', key: 'r', subject: 'a\0b', data }])
    await waitFor(() => seen.length === 1)
    expect(seen).toEqual([outputJson])
  })

  test('an audit entry rolls back with its mutation', async () => {
    const entry = { projectId: 'p', actor: 'user:1', action: 'thing.made', target: 't', ip: '::1', requestId: 'r' }
    const failing = withTransaction(fixture.pool, async (tx) => {
      await recordAudit(tx, 'test', entry)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await withTransaction(fixture.pool, (tx) => recordAudit(tx, 'test', { ...entry, outcome: 'denied' }))
    const { rows } = await fixture.pool.query('select topic, subject, data from log')
    expect(rows).toEqual([{ topic: 'audit.recorded', subject: 't', data: { ...entry, outcome: 'denied' } }])
  })
})

describe('a reader that may fall behind in a flood', () => {
  test('takes what comes meanwhile as one batch, in order, and goes back to its pace', async () => {
    const batches: number[] = []
    const last = new Map<string, number>()
    const disordered: string[] = []
    const flood = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => run(`k${(from + i) % 50}`, from + i + 1))
    const bus = fixture.makeBus()
    await fixture.publish(flood(0, 1_500))
    await bus.subscribe({
      group: 'g',
      topics: ['workflow.updated'],
      maxBatch: 10_000,
      floodPaceMs: 2_000,
      handler: async (events) => {
        batches.push(events.length)
        for (const event of events) {
          const { partitionkey: key } = event
          if ((last.get(key) ?? 0) >= event.data.version) disordered.push(key)
          last.set(key, event.data.version)
        }
      },
    })
    await waitFor(() => batches.length > 0)
    for (let part = 0; part < 4; part += 1) {
      await fixture.publish(flood(1_500 + part * 500, 500))
      bus.hint()
    }
    await waitFor(() => batches.reduce((sum, size) => sum + size, 0) === 3_500)
    // Without the pace: a batch for each hint, or for each page.
    expect(batches).toEqual([1_500, 2_000])
    expect(disordered).toEqual([])

    await delay(2_100)
    const asked = performance.now()
    await fixture.publish(flood(3_500, 1))
    bus.hint()
    await waitFor(() => batches.length === 3)
    expect(performance.now() - asked).toBeLessThan(1_500)
  })
})
