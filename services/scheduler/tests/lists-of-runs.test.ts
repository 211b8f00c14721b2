import { withTransaction } from '@millrace/postgres'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listRunsQuery } from '../src/db/list-runs.js'
import { Harness, projectId, TestWorker } from './support/harness.js'

describe('lists of runs', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.start()
  })
  afterAll(() => harness?.stop())

  /** Rows alone: no engine looks at them. A second apart, the first of them the oldest. */
  async function place(
    workflow: string,
    count: number,
    { status = 'paused', daysAgo = 1, tookMs = 1_000, error = null as object | null } = {},
  ) {
    const ended = status === 'succeeded' || status === 'failed'
    const { rows } = await harness.pool.query<{ id: string }>(
      `insert into runs (id, project_id, workflow, version, version_id, status, created_at, started_at, finished_at, error)
       select gen_random_uuid(), $1, $2, 1, gen_random_uuid(), $3, at, at,
         case when $4 then at + make_interval(secs => $7::float / 1000) end, $8
       from generate_series(1, $5) n, lateral (select date_trunc('second', now()) - make_interval(days => $6) + make_interval(secs => n) as at) t
       order by n returning id`,
      [projectId, workflow, status, ended, count, daysAgo, tookMs, error && JSON.stringify(error)],
    )
    return rows.map(({ id }) => id)
  }

  test('the oldest open runs come first, however many are newer or ended before them', async () => {
    await place('ended', 300, { status: 'succeeded', daysAgo: 9 })
    const stuck = await place('stuck', 2, { daysAgo: 5 })
    await place('busy', 300, { status: 'running' })
    const ask = async (more: object = {}) => {
      const statuses = ['queued', 'running', 'paused', 'cancelling']
      return (await harness.internal().listRuns({ projectId, statuses, oldestFirst: true, ...more })).runs
    }
    const first = await ask({ limit: 201 })
    expect(first).toHaveLength(201)
    expect(first.slice(0, 2).map(({ id }) => id)).toEqual(stuck)
    const last = first.at(-1)
    const rest = await ask({ limit: 201, beforeCreatedAt: last?.createdAt, beforeId: last?.id })
    const all = [...first, ...rest]
    expect(new Set(all.map(({ id }) => id)).size).toBe(302)
    expect(all.map(({ createdAt }) => createdAt)).toEqual(all.map(({ createdAt }) => createdAt).toSorted())
    const newest = await ask({ limit: 1, oldestFirst: false })
    expect(newest[0]?.workflow).toBe('busy')
    expect((await ask({ limit: 1, statuses: [] }))[0]?.workflow).toBe('ended')
  })

  test('each of many workflows says what it did last, however long ago the others filled every list', async () => {
    const rare = await place('rare', 2, { status: 'failed', daysAgo: 30, tookMs: 250 })
    await place('rare', 3, { status: 'queued', daysAgo: 2 })
    await place('often', 250, { status: 'succeeded' })
    const schedule = (nextAt: string, paused = false) =>
      harness.pool.query(
        `insert into schedules (id, project_id, workflow, cron, timezone, input, catchup, paused, created_by, created_at, updated_at, next_at)
         values (gen_random_uuid(), $1, 'rare', '@daily', 'UTC', '{}', 'none', $3, '', now(), now(), $2)`,
        [projectId, nextAt, paused],
      )
    await schedule('2031-01-02T00:00:00Z')
    await schedule('2031-01-01T00:00:00Z')
    await schedule('2030-01-01T00:00:00Z', true)
    const ask = (workflows: string[], project = projectId) =>
      harness.internal().listActivity({ projectId: project, workflows, limit: 30 })
    const { items } = await ask(['often', 'never', 'rare'])
    expect(items.map(({ workflow, open, ended, nextAt }) => [workflow, open, ended.length, nextAt])).toEqual([
      ['often', 0, 30, ''],
      ['never', 0, 0, ''],
      ['rare', 3, 2, '2031-01-01T00:00:00.000Z'],
    ])
    expect(items[2]?.ended.map(({ id, status }) => [id, status])).toEqual(rare.toReversed().map((id) => [id, 'failed']))
    const [newest] = items[2]?.ended ?? []
    expect(Date.parse(newest?.finishedAt ?? '') - Date.parse(newest?.startedAt ?? '')).toBe(250)
    expect((await ask(['rare'], v7())).items).toMatchObject([{ open: 0, ended: [], nextAt: '' }])
    await expect(ask(Array.from({ length: 201 }, String))).rejects.toMatchObject({ reason: 'too_many_workflows' })
  })

  test('text is found whatever its case, and its wildcards are letters', async () => {
    const [id = ''] = await place('task:Daily_report', 1)
    await place('task:Daily-report', 1)
    const ask = async (query: string) => (await harness.internal().listRuns({ projectId, query, limit: 10 })).runs
    for (const query of ['Daily_Rep', 'y_R', id, id.toUpperCase()]) {
      expect(
        (await ask(query)).map((run) => run.id),
        query,
      ).toEqual([id])
    }
    expect(await ask('daily%report')).toEqual([])
  })

  test('a failed run is found by the code of its error and by its text, whatever a worker wrote into others', async () => {
    const project = v7()
    const failed = (code: string, message: string) => {
      const error = { code, message, class: 'unknown', retryable: false, task: 'pay' }
      return place('search', 1, { status: 'failed', error })
    }
    const [card = ''] = await failed('card_declined', 'The bank said No. 51')
    const [timeout = ''] = await failed('timeout', 'no answer from card_declined')
    const unreadable = [...(await failed('card_declined', 'nul \0')), ...(await failed('half', 'pair \ud83d card_d'))]
    const [open = ''] = await place('search', 1, { error: { code: 'card_declined', message: '' } })
    await harness.pool.query(`update runs set project_id = $1 where workflow = 'search'`, [project])
    const ask = async (more: object) => {
      const { runs } = await harness.internal().listRuns({ projectId: project, limit: 10, ...more })
      return runs.map(({ id }) => id).sort()
    }
    expect(await ask({})).toEqual([card, timeout, open, ...unreadable].sort())
    expect(await ask({ errorCode: 'card_declined' })).toEqual([card])
    expect(await ask({ errorCode: 'Card_declined' })).toEqual([])
    expect(await ask({ errorCode: 'card_declined', statuses: ['running', 'paused'] })).toEqual([])
    expect(await ask({ query: 'CARD_D' })).toEqual([card, timeout].sort())
    expect(await ask({ query: 'no. 51', statuses: ['failed'] })).toEqual([card])
    expect(await ask({ query: 'bank', errorCode: 'timeout' })).toEqual([])
    expect(await ask({ query: 'bank_said' })).toEqual([])
  })

  test.each([{ statuses: ['failed'] }, { errorCode: 'timeout' }])('failed runs alone are read for %o', async (more) => {
    const none = {
      workflow: '',
      statuses: [],
      labels: {},
      from: null,
      to: null,
      query: '',
      errorCode: '',
      before: null,
    }
    const { text } = listRunsQuery({ projectId, ...none, oldestFirst: false, limit: 10, ...more })
    const values = [projectId, '', [], [], [], null, null, 'x', '%x%', null, null, 10, 'timeout']
    const rows = await withTransaction(harness.pool, async (tx) => {
      // So few rows as there are here are read as they lie, and sorted.
      await tx.query('set local enable_seqscan = off; set local enable_sort = off')
      return (await tx.query<Record<string, string>>(`explain ${text}`, values)).rows
    })
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('using runs_failed')
  })

  test('who may not see the shared workers still learns how many there are and how full', async () => {
    const worker = await new TestWorker(harness.dispatch(), () => ({}), 7).start(['nobody.asks'])
    const ask = () => harness.control().listWorkers({ projectId, withShared: false, limit: 10 })
    expect(await ask()).toEqual({
      workers: [],
      shared: { alive: 1, slots: 7, used: 0 },
      totals: { active: 0, lost: 0, slots: 0, used: 0 },
    })
    await worker.stop()
    const requester = { subject: 'user:op', ip: '127.0.0.1', requestId: 'r-1' }
    const pause = { id: worker.workerId, projectId, withShared: true, command: 'pause', requester }
    await harness.control().commandWorker(pause)
    expect((await ask()).shared).toEqual({ alive: 0, slots: 0, used: 0 })
  })
})
