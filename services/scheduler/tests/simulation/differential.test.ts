import { migrateEvents } from '@millrace/events'
import { createPool, migrate, type Pool, withTransaction } from '@millrace/postgres'
import { type TestDatabase, testDatabase } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BatchRows, clauses } from '../../src/db/batch/clauses.js'
import { type WriteResult, writeBatch } from '../../src/db/batch/write-batch.js'
import { bumpControl } from '../../src/db/control.js'
import { createPostgresStore } from '../../src/db/postgres-store.js'
import { lockQueue, type QueueChange, writeQueue } from '../../src/db/queues.js'
import { type DequeueRequest, noDequeue } from '../../src/domain/queue.js'
import type { Store } from '../../src/engine/store.js'
import { Chance } from './chance.js'
import { clausesOf } from './clauses-of.js'
import { distort } from './distort.js'
import { atTheEnd, extraStep, onceEach } from './extra-steps.js'
import { type OperationName, operations } from './model/operations.js'
import { Statement } from './model/statement.js'
import { type TableName, Tables } from './model/tables.js'
import { type Recorded, recordSeed } from './record-seed.js'

/** The model of the store against PostgreSQL: the statements of simulated seeds, one after another, on both. */

let database: TestDatabase
let pool: Pool
let store: Store

beforeAll(async () => {
  database = await testDatabase()
  const setup = createPool({ connectionString: database.url, schema: 'scheduler', max: 1 })
  await migrateEvents(setup)
  await migrate(setup, { schema: 'scheduler', directory: new URL('../../migrations', import.meta.url) })
  // The clock of the statements is the simulation's: a function of that name stands before PostgreSQL's own.
  await setup.query(`
create schema sim_clock;
create function sim_clock.clock_timestamp() returns timestamptz language sql volatile as
  $$ select timestamptz 'epoch' + make_interval(secs => current_setting('sim.now')::float8 / 1000.0) $$;
alter table scheduler.run_inbox alter created_at set default sim_clock.clock_timestamp();
alter table scheduler.sessions alter created_at set default sim_clock.clock_timestamp();
alter table scheduler.sessions alter seen_at set default sim_clock.clock_timestamp();
alter table scheduler.slots alter idle_at set default sim_clock.clock_timestamp();
alter table scheduler.queues alter updated_at set default sim_clock.clock_timestamp();`)
  await setup.end()
  const settings = { search_path: 'sim_clock,scheduler,pg_catalog' }
  pool = createPool({ connectionString: database.url, schema: 'scheduler', max: 1, settings })
  store = createPostgresStore({ pool, bulkPool: pool, lazyPool: pool })
}, 120_000)

afterAll(async () => {
  await pool?.end()
  await database?.drop()
})

const setClock = (now: number) => pool.query(`select set_config('sim.now', $1, false)`, [String(now)])

const tables = {
  runs: 1,
  tasks: 1,
  task_payloads: 1,
  task_queue: 1,
  timers: 1,
  run_inbox: 1,
  sessions: 1,
  attempt_failures: 1,
  dead_letters: 1,
  run_signals: 1,
  child_runs: 1,
  held_back: 1,
  slots: 1,
  slot_holds: 1,
  task_limits: 1,
  map_groups: 1,
  run_admissions: 1,
  queues: 1,
}
/** Shown to people alone: the model has no such column. */
const notModelled = new Set(['sessions.circuits'])

/** Drawn from sequences, or of no interest to the engine. */
const unlike = new Set(['id of timers', 'id of run_inbox', 'position of task_queue', 'position of run_signals'])

type Row = Record<string, unknown>

/** Values as both sides can show them: times to the microsecond, JSON by its meaning. */
function plain(value: unknown): unknown {
  if (value instanceof Date) return value.getTime()
  if (Buffer.isBuffer(value)) return value.toString('hex')
  if (value instanceof Set) return byText([...value].map(plain))
  if (value instanceof Map) return plain(Object.fromEntries(value))
  if (Array.isArray(value)) return value.map(plain)
  // PostgreSQL makes an interval of a delay, which may be a microsecond off: the coarser, the rarer both sides round apart.
  if (typeof value === 'number') return Math.round(value * 10) / 10
  if (typeof value === 'string' && /^([[{"]|null$)/.test(value)) return jsonOr(value)
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => [key, plain(item)] as const)
    const shown = entries.filter(([, item]) => item !== undefined && item !== null)
    return Object.fromEntries(shown.sort(([a], [b]) => (a < b ? -1 : 1)))
  }
  return value
}

function jsonOr(text: string): unknown {
  try {
    return plain(JSON.parse(text))
  } catch {
    return text
  }
}

const byText = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort()

const withoutDrawn = (name: TableName, row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([key]) => !unlike.has(`${key} of ${name}`)))

const shown = (name: TableName, rows: Iterable<unknown>): string[] =>
  byText([...rows].map((row) => plain(withoutDrawn(name, row as Row))))

async function columnsInPostgres(): Promise<{ table: TableName; name: string; type: string }[]> {
  const result = await pool.query<{ table: TableName; name: string; type: string }>(
    `select table_name as table, column_name as name, data_type as type from information_schema.columns
      where table_schema = 'scheduler' and table_name = any($1)`,
    [Object.keys(tables)],
  )
  return result.rows
}

/** One query for all tables: times as milliseconds, the rest as JSON shows it. */
async function dumpText(): Promise<string> {
  const columns = await columnsInPostgres()
  const select = (table: string) => {
    const list = columns
      .filter((column) => column.table === table)
      .map(({ name, type }) => {
        if (type.startsWith('timestamp')) return `(extract(epoch from ${name}) * 1000)::float8 as ${name}`
        return type === 'bytea' ? `encode(${name}, 'hex') as ${name}` : name
      })
    return `'${table}', (select coalesce(json_agg(row_to_json(x)), '[]') from (select ${list.join(', ')} from ${table}) x)`
  }
  return `select json_build_object(${Object.keys(tables).map(select).join(', ')}) as dump`
}

type Dump = Record<TableName, Row[]>

/** Told to people alone; nothing in the engine depends on them, and the model has none. */
const alerts = ['worker.lost']

async function eventsAfter(id: number): Promise<{ events: string[]; last: number }> {
  const result = await pool.query(
    `select id, topic, key, subject, source, (extract(epoch from time) * 1000)::float8 as time, sequence, traceparent, data
      from events.log where id > $1 and topic <> all($2) order by id`,
    [id, alerts],
  )
  const events = result.rows.map(({ id: _id, ...row }) => plain(row))
  return { events: byText(events), last: Number(result.rows.at(-1)?.id ?? id) }
}

/** Ids that PostgreSQL drew, for those of the recording: leases by task, timers and inbox rows by what they say. */
class Names {
  private readonly leases = new Map<string, string>()
  readonly numbers = { timers: new Map<number, number>(), run_inbox: new Map<number, number>() }

  constructor(private readonly model: Tables) {}

  lease(recorded: string, drawn: string): void {
    this.leases.set(recorded, drawn)
  }

  /** The arguments as this replay knows them. */
  inReplay<T>(args: T): T {
    let text = JSON.stringify(args)
    for (const [recorded, drawn] of this.leases) text = text.replaceAll(recorded, drawn)
    return JSON.parse(text) as T
  }

  match(dump: Dump): void {
    for (const name of ['timers', 'run_inbox'] as const) {
      const free = [...dump[name]].sort((one, other) => Number(one.id) - Number(other.id))
      this.numbers[name].clear()
      for (const row of this.model.all(name)) {
        const wanted = shown(name, [row])[0]
        const at = free.findIndex((other) => shown(name, [other])[0] === wanted)
        if (at >= 0) this.numbers[name].set(row.id, Number(free.splice(at, 1)[0]?.id))
      }
    }
  }

  /** The same arguments with PostgreSQL's numbers. */
  inPostgres(name: OperationName, args: unknown[]): unknown[] {
    const of = (table: 'timers' | 'run_inbox', id: number) => this.numbers[table].get(id) ?? -1
    if (name === 'findExistingTimers') return [(args[0] as number[]).map((id) => of('timers', id))]
    if (name === 'deleteTimer' || name === 'claimChildRequest' || name === 'postponeChildRequest') {
      return [of('timers', args[0] as number), ...args.slice(1)]
    }
    if (name !== 'writeBatch' && name !== 'writeLocked') return args
    const rows = args[0] as BatchRows
    const firedTimers = rows.firedTimers.map((row) => ({ ...row, id: of('timers', row.id) }))
    const readInbox = rows.readInbox.map((row) => ({ ...row, id: of('run_inbox', row.id) }))
    const spentTimers = rows.spentTimers.map((row) => ({ ...row, id: of('timers', row.id) }))
    return [{ ...rows, firedTimers, spentTimers, readInbox }, ...args.slice(1)]
  }
}

/** As the handler does it. */
const setQueue = ([projectId, queue, change]: [string, string, QueueChange]) =>
  withTransaction(pool, async (tx) => {
    await lockQueue(tx, projectId, queue)
    await writeQueue(tx, projectId, queue, change)
    await bumpControl(tx)
  })

/** Every batch by the one statement, also those that the function for common ones would write. */
let byStatement = false

function runInPostgres(name: OperationName, args: unknown[]): Promise<unknown> {
  if (name === 'setQueue') return setQueue(args as [string, string, QueueChange])
  if (name === 'lockRun') return store.transaction((tx) => tx.lockRun(args[0] as string))
  if (name === 'findOpenRuns') return store.transaction((tx) => tx.findOpenRuns(args[0] as string[]))
  if (name === 'loadAdmission') return store.transaction((tx) => tx.loadAdmission(args[0] as string))
  if (name === 'writeLocked') return store.transaction((tx) => tx.writeBatch(args[0] as BatchRows))
  if (name === 'writeBatch' && byStatement) return writeBatch(pool, args[0] as BatchRows, args[1] as DequeueRequest)
  const operation = store[name as keyof Store] as (...args: unknown[]) => Promise<unknown>
  return operation(...args)
}

/** Positions decide the order of dispatch: where one statement queued several, PostgreSQL's order counts. */
function adoptPositions(model: Tables, dump: Dump): void {
  for (const { task_id, position } of dump.task_queue) {
    const row = model.get('task_queue', String(task_id))
    if (row) model.put('task_queue', row.task_id, { ...row, position: Number(position) })
  }
}

/** Answers without numbers that were drawn, in an order of their own where the statement promises none. */
function answerOf(value: unknown): unknown {
  const shown = plain(value)
  const drop = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
    const { id, ...rest } = item as Row
    return typeof id === 'number' ? rest : item
  }
  if (Array.isArray(shown)) return byText(shown.map(drop))
  if (typeof shown !== 'object' || shown === null) return shown
  return Object.fromEntries(
    Object.entries(shown).map(([key, inner]) => [key, Array.isArray(inner) ? byText(inner) : inner]),
  )
}

async function reset(first: number): Promise<void> {
  await pool.query(`truncate ${Object.keys(tables).join(', ')} restart identity cascade`)
  await setClock(first)
  await pool.query(`update engine_pulse set at = sim_clock.clock_timestamp(), hold_until = '-infinity'`)
  await pool.query('update engine_control set version = 1')
}

/** One history on both sides. */
class Replay {
  readonly model = new Tables()
  readonly seen = new Set<string>()
  /** Clauses of the batch statement of which some unit won. */
  readonly clauses = new Set<string>()
  /** `table.column` of every row that the model had. */
  readonly columns = new Set<string>()
  private readonly names = new Names(this.model)
  private dumpQuery = ''
  private lastEvent = 0

  /** Without chance the recording is played as it is. */
  constructor(private readonly chance: Chance | null) {}

  async run(recorded: readonly Recorded[]): Promise<void> {
    this.model.pulse = recorded[0]?.now ?? 0
    await reset(this.model.pulse)
    this.dumpQuery = await dumpText()
    this.lastEvent = (await eventsAfter(0)).last
    const open = new Set(this.chance ? onceEach : [])
    for (const step of recorded) {
      const { name, now } = step
      const known = this.names.inReplay(step.args as unknown[])
      await this.step({ ...step, args: revive(name, this.chance ? distort(this.chance, name, known) : known) })
      const extra = this.chance?.bool(0.1) ? extraStep(this.chance, this.model, now) : undefined
      if (extra) await this.step(extra)
      for (const first of open) {
        const made = first(this.model)
        if (!made) continue
        open.delete(first)
        await this.step({ ...made, now, leases: [] })
      }
    }
    const now = recorded.at(-1)?.now ?? 0
    for (const made of atTheEnd.flatMap((last) => last(this.model) ?? [])) await this.step({ ...made, now, leases: [] })
  }

  private async step({ name, args, now, leases }: Recorded): Promise<void> {
    const { model, names } = this
    const where = `${name} ${JSON.stringify(args).slice(0, 2000)}`
    await setClock(now)
    const answer = await runInPostgres(name, names.inPostgres(name, [...args]))
    const { dump } = (await pool.query<{ dump: Dump }>(this.dumpQuery)).rows[0] ?? { dump: {} as Dump }
    const told = await eventsAfter(this.lastEvent)
    this.lastEvent = told.last
    const leaseOf = new Map(
      dump.tasks.flatMap((row) => (row.lease_id ? [[String(row.id), String(row.lease_id)] as const] : [])),
    )
    for (const { taskId, leaseId } of leases) names.lease(leaseId, leaseOf.get(taskId) ?? leaseId)
    const before = model.size('events')
    const statement = new Statement(model, model, now, (taskId) => leaseOf.get(taskId) ?? 'none')
    const operation = operations[name] as (s: Statement, ...args: unknown[]) => unknown
    expect(answerOf(operation(statement, ...args)), where).toEqual(answerOf(answer))
    for (const table of Object.keys(tables) as TableName[]) {
      expect(shown(table, model.all(table)), `${table} after ${where}`).toEqual(shown(table, dump[table]))
      for (const row of model.all(table)) for (const column in row) this.columns.add(`${table}.${column}`)
    }
    const events = [...model.all('events')].slice(before).map(({ id: _id, ...row }) => plain(row))
    expect(byText(events), `events of ${where}`).toEqual(told.events)
    names.match(dump)
    adoptPositions(model, dump)
    this.seen.add(name)
    if (name === 'writeBatch' || name === 'writeLocked') {
      const [rows, dequeue] = args as [BatchRows, DequeueRequest | undefined]
      const won = new Set((answer as WriteResult).won.keys())
      for (const clause of clausesOf(rows, won, (dequeue?.max ?? 0) > 0)) this.clauses.add(clause)
    }
  }
}

/** What JSON cannot carry. */
function revive(name: OperationName, args: unknown[]): unknown[] {
  if (name === 'writeBatch' && args.length === 1) return [args[0], noDequeue]
  if (name !== 'insertSession') return args
  const [session, leaseMs] = args as [{ secretHash: { data: number[] } }, number]
  return [{ ...session, secretHash: Buffer.from(session.secretHash.data) }, leaseMs]
}

const SEEDS = [1, 8, 9, 21, 32, 48, 62, 163]
const STEPS = 250

/**
 * Once a command of a run was made to lose, what the recording has of that run loses as well: these histories are played as
 * they are, so that rare clauses come to write something.
 */
const AS_RECORDED = [6, 66, 85, 252]
const LONGER = 350

test.each([
  ['common batches by their function', false],
  ['every batch by the one statement', true],
])(
  'every operation of the model does to its tables what PostgreSQL does: %s',
  { timeout: 1_200_000 },
  async (_, only) => {
    byStatement = only
    const replays: Replay[] = []
    for (const seed of [...SEEDS, ...AS_RECORDED]) {
      const asRecorded = AS_RECORDED.includes(seed)
      const replay = new Replay(asRecorded ? null : new Chance(seed))
      await replay.run(await recordSeed(seed, asRecorded ? LONGER : STEPS))
      replays.push(replay)
    }
    const all = (of: (replay: Replay) => Iterable<string>) => new Set(replays.flatMap((replay) => [...of(replay)]))
    expect(missingOf(all(({ seen }) => seen))).toEqual([])
    const columns = (await columnsInPostgres()).map(({ table, name }) => `${table}.${name}`)
    const modelled = columns.filter((column) => !notModelled.has(column))
    expect([...all((replay) => replay.columns)].sort()).toEqual(modelled.sort())
    const written = all((replay) => replay.clauses)
    expect(Object.keys(clauses).filter((clause) => !written.has(clause))).toEqual([])
  },
)

/** A hint has no rows. */
const rare = new Set<string>(['notifyReplicas'])

const missingOf = (seen: ReadonlySet<string>): string[] =>
  Object.keys(operations).filter((name) => !seen.has(name) && !rare.has(name))
