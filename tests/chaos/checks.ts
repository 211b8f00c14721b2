import { type HttpSink, waitFor } from '@millrace/testkit'
import { expect } from 'vitest'
import { rowsAt } from './deployment.js'
import type { Started } from './load.js'

export interface Outcome {
  runs: number
  /** Executions beyond one for each idempotency key: allowed after a crash, and counted. */
  repeated: number
  settledMs: number
}

interface RunRow {
  id: string
  workflow: string
  status: string
  label: string
  parent: boolean
}

/** Looks at the rows themselves: what no answer of the API would show is seen there. */
export class Checks {
  private readonly told = new Map<string, Set<string>>()
  private readonly toBeTold = new Set<string>()

  constructor(
    private readonly url: () => string,
    private readonly sink: HttpSink,
  ) {}

  /** 0 lost, 0 double, 0 stuck over 30 s. */
  async everythingHappenedOnce(started: readonly Started[]): Promise<Outcome> {
    const began = performance.now()
    const labels = new Set(started.map(({ label }) => label))
    const open = () => this.query<{ id: string; status: string; workflow: string }>(openRuns, [[...labels]])
    await waitFor(async () => (await open().catch(() => [{}])).length === 0, {
      timeoutMs: 30_000,
      intervalMs: 200,
      what: 'nothing stuck',
    }).catch(async () => {
      expect(await open(), 'runs that have not ended within 30 s').toEqual([])
    })
    const settledMs = Math.round(performance.now() - began)
    const runs = await this.query<RunRow>(runsOf, [[...labels]])
    const own = runs.filter(({ parent }) => !parent)
    expect(own.map(({ label }) => label).sort(), 'one run for each start').toEqual([...labels].sort())
    for (const run of runs) {
      const wanted = run.workflow === 'stopped' ? ['cancelled', 'succeeded'] : ['succeeded']
      expect(wanted, `run ${run.id} of ${run.workflow}`).toContain(run.status)
    }
    const ids = runs.map(({ id }) => id)
    expect(await this.query(completions, [ids]), 'workflow.completed once each').toEqual([])
    expect(await this.query(successes, [ids]), 'a result accepted once each').toEqual([])
    const repeated = await this.effectsAreThere(ids)
    await this.slotsAreFree()
    await this.recordsCaughtUp(ids)
    for (const id of ids) this.toBeTold.add(id)
    return { runs: runs.length, repeated, settledMs }
  }

  /** No second has two runs. Whether each has one is looked at in the end: a tick may wait for half a minute. */
  async noTickIsDouble(): Promise<void> {
    const twice = (await this.query<{ tick: string; n: number }>(ticks, [])).filter(({ n }) => n !== 1)
    expect(twice, 'ticks that were fired twice').toEqual([])
  }

  /** Every second has its run, and one only. A tick that could not be fired is tried again after up to half a minute. */
  async noTickIsLost(): Promise<number> {
    const last = (await this.query<{ tick: string }>(ticks, [])).at(-1)?.tick ?? ''
    const missing = async () => {
      const rows = (await this.query<{ tick: string; n: number }>(ticks, [])).filter(({ tick }) => tick <= last)
      expect(
        rows.filter(({ n }) => n !== 1),
        'ticks that were fired twice',
      ).toEqual([])
      const times = rows.map(({ tick }) => Date.parse(tick))
      const late = times.filter((time, i) => i > 0 && time - (times[i - 1] ?? 0) !== 1_000)
      return { count: rows.length, after: late.map((time) => new Date(time).toISOString()) }
    }
    await waitFor(async () => (await missing()).after.length === 0, { timeoutMs: 60_000, intervalMs: 500 }).catch(
      async () => expect((await missing()).after, 'ticks after a gap').toEqual([]),
    )
    return (await missing()).count
  }

  /** What was taken under a limit was given back. */
  private async slotsAreFree(): Promise<void> {
    const taken = () => this.query(takenSlots, [])
    await waitFor(async () => (await taken().catch(() => [{}])).length === 0, {
      timeoutMs: 30_000,
      intervalMs: 300,
    }).catch(async () => expect(await taken(), 'slots that nobody gave back').toEqual([]))
  }

  /** Everything that the engine knows of the runs under way, for whoever asks why a case failed. */
  async evidence(): Promise<object> {
    const names = Object.entries(evidence)
    const found = names.map(async ([name, text]) => [name, await this.query(text, []).catch(String)] as const)
    return Object.fromEntries(await Promise.all(found))
  }

  private async effectsAreThere(ids: readonly string[]): Promise<number> {
    const [row] = await this.query<{ n: number }>(countedTasks, [ids])
    const keys = this.sink.requests.filter(({ url }) => url === '/count').map(({ headers }) => String(headers['x-key']))
    expect(new Set(keys).size, 'each counted task has its own key').toBe(row?.n)
    return keys.length - new Set(keys).size
  }

  /** Of all runs that were checked. Looked at in the end: a sender that died has its claim for 40 s. */
  async everyoneWasTold(): Promise<number> {
    this.hearAll()
    const missing = () => [...this.toBeTold].filter((id) => !this.told.has(id))
    await waitFor(
      () => {
        this.hearAll()
        return missing().length === 0
      },
      { timeoutMs: 120_000, intervalMs: 250, what: 'a webhook for every run' },
    ).catch(() => expect(missing(), 'runs of which nobody was told').toEqual([]))
    const double = [...this.toBeTold].filter((id) => this.told.get(id)?.size !== 1)
    expect(double, 'one webhook-id for each run').toEqual([])
    return this.toBeTold.size
  }

  /** Takes what has come so far out of the sink. */
  hearAll(): void {
    for (const { url, headers, body } of this.sink.requests.splice(0)) {
      if (url !== '/told') continue
      const { runId } = (JSON.parse(body) as { data: { runId: string } }).data
      this.told.set(runId, (this.told.get(runId) ?? new Set()).add(String(headers['webhook-id'])))
    }
  }

  private async recordsCaughtUp(ids: readonly string[]): Promise<void> {
    const behind = () => this.query<{ id: string }>(unrecorded, [ids])
    await waitFor(async () => (await behind().catch(() => [{}])).length === 0, {
      timeoutMs: 30_000,
      intervalMs: 300,
      what: 'every job recorded as it ended',
    })
  }

  private query<T>(text: string, values: unknown[]): Promise<T[]> {
    return rowsAt<T>(this.url(), text, values)
  }
}

const label = `coalesce(q.labels ->> 'chaos', q.input ->> 'label')`
const ended = `('succeeded', 'failed', 'cancelled')`

const openRuns = `select q.id, r.status, q.workflow from workflow.run_requests q left join scheduler.runs r on r.id = q.id
  where ${label} = any($1::text[]) and (r.id is null or r.status not in ${ended})`

const runsOf = `select r.id, r.workflow, r.status, ${label} as label, q.requested_by like 'run:%' as parent
  from workflow.run_requests q join scheduler.runs r on r.id = q.id where ${label} = any($1::text[])`

const completions = `select r.id, count(l.*)::int as n from scheduler.runs r
  left join events.log l on l.topic = 'workflow.completed' and l.key = r.id::text
  where r.id = any($1::uuid[]) group by r.id having count(l.*) <> 1`

const successes = `select t.id, count(l.*)::int as n from scheduler.tasks t
  left join events.log l on l.topic = 'task.updated' and l.subject = t.id::text and l.data ->> 'status' = 'succeeded'
  where t.run_id = any($1::uuid[]) and t.status = 'succeeded' group by t.id having count(l.*) <> 1`

const countedTasks = `select count(*)::int as n from scheduler.tasks
  where run_id = any($1::uuid[]) and uses = 'http' and status = 'succeeded'`

const ticks = `select labels ->> 'tick' as tick, count(*)::int as n from workflow.run_requests
  where workflow = 'tick' group by 1 order by 1`

const takenSlots = `select s.scope, s.key, s.in_use from scheduler.slots s where s.in_use <> 0`

const openOnes = `select id from scheduler.runs where status not in ${ended}`
const evidence = {
  requests: `select q.id, q.workflow, q.requested_by, q.created_at, ${label} as label from workflow.run_requests q
    where not exists (select 1 from scheduler.runs r where r.id = q.id)`,
  runs: `select id, workflow, status, rev, created_at, started_at from scheduler.runs where status not in ${ended}`,
  tasks: `select t.* from scheduler.tasks t where t.run_id in (${openOnes})`,
  queue: `select * from scheduler.task_queue`,
  timers: `select * from scheduler.timers`,
  inbox: `select * from scheduler.run_inbox`,
  groups: `select * from scheduler.map_groups where closed_at is null`,
  slots: `select * from scheduler.slots where in_use <> 0`,
  holds: `select * from scheduler.slot_holds`,
  sessions: `select id, name, state, until, clock_timestamp() as now from scheduler.sessions order by created_at desc limit 5`,
  ticks: `select * from scheduler.schedule_ticks`,
  events: `select id, topic, key, subject, data from events.log where key::text in (select id::text from (${openOnes}) o)
    order by id desc limit 500`,
  groupsOfReaders: `select * from events.groups`,
}

const unrecorded = `select t.id from scheduler.tasks t where t.run_id = any($1::uuid[])
  and not exists (select 1 from metadata.jobs j where j.id = t.id and j.status = t.status)`
