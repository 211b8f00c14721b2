import { setTimeout as delay } from 'node:timers/promises'
import { withTransaction } from '@millrace/postgres'
import { metricsText } from '@millrace/telemetry'
import { waitFor } from '@millrace/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appendEvents, type EventBus, pruneEvents, recordAudit } from '../src/index.js'
import { GapSet } from '../src/postgres/gap-set.js'
import { readGaps } from '../src/postgres/log-sql.js'
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
    for (let part = 0; part < 4; part += 1) {
      await fixture.publish(flood(1_500 + part * 500, 500))
      bus.hint()
    }
    await waitFor(() => batches.reduce((sum, size) => sum + size, 0) === 3_500)
    // Without the pace: a batch for each hint, or for each page.
    expect(batches).toEqual([3_500])
    expect(disordered).toEqual([])

    await delay(2_100)
    const asked = performance.now()
    await fixture.publish(flood(3_500, 1))
    bus.hint()
    await waitFor(() => batches.length === 2)
    expect(performance.now() - asked).toBeLessThan(1_500)
  })
})
