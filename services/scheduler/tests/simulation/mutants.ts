import type { BatchRows } from '../../src/db/batch/clauses.js'
import type { SlotKey } from '../../src/db/limits/slots.js'
import { slotName } from '../../src/domain/limits/task-limits.js'
import { type TableName, Tables } from './model/tables.js'
import { pauseOften, queueName } from './pauses.js'
import type { Simulation } from './simulation.js'

type Execute = Simulation['database']['execute']

const onStatement = (change: (run: Execute, simulation: Simulation) => Execute) => (simulation: Simulation) => {
  const { database } = simulation
  database.execute = change(database.execute.bind(database), simulation)
}

const onBatch = (change: (rows: BatchRows, simulation: Simulation) => BatchRows) =>
  onStatement((run, simulation) => (name, args, seen) => {
    if (name !== 'writeBatch') return run(name, args, seen)
    return run(name, [change(args[0] as BatchRows, simulation), ...args.slice(1)], seen)
  })

const onRow = (table: TableName, change: (before: never, after: never) => unknown) => (simulation: Simulation) => {
  const { live } = simulation.database
  const put = live.put.bind(live)
  live.put = (name, key, row) =>
    put(name, key, (name === table ? change(live.get(name, key) as never, row as never) : row) as typeof row)
}

type Task = { status: string; token: number; lease_id: string | null }
type Slot = { in_use: number }
type Group = { open: number; made: number }

/** Classic mistakes, each made on purpose in what the statements do. The simulation has to notice every one. */
export const mutants: Record<string, (simulation: Simulation) => void> = {
  'a report is taken without a look at its lease': onBatch((rows) => ({ ...rows, guards: [] })),
  "a map item's guard is dropped": onBatch((rows, { database }) => ({
    ...rows,
    itemChanges: rows.itemChanges.map((change) => ({
      ...{ ...change, token: null, leaseId: null, sessionId: null },
      expected: database.live.get('tasks', change.id)?.status ?? change.expected,
    })),
  })),
  'the rev is not compared': onBatch((rows, { database }) => ({
    ...rows,
    runChanges: rows.runChanges.map((change) => ({
      ...change,
      expectedRev: database.live.get('runs', change.runId)?.rev ?? change.expectedRev,
    })),
  })),
  'a lost task goes back to the queue with its old token': onRow('tasks', (before: Task | undefined, after: Task) =>
    before?.status === 'running' && after.status === 'queued'
      ? { ...after, token: before.token, lease_id: before.lease_id }
      : after,
  ),
  'a write is answered before it is safe, and lost': onStatement((run, { database, world }) => (name, args, seen) => {
    if (name !== 'writeBatch' || !world.chance.bool(0.1)) return run(name, args, seen)
    const before = database.snapshot()
    const answer = run(name, args, seen)
    database.restore(before)
    return answer
  }),
  'no scheduler finds a retry that is due': onStatement((run) => (name, args, seen) => {
    const answer = run(name, args, seen)
    return name === 'findTimers' ? (answer as { kind: string }[]).filter(({ kind }) => kind !== 'retry') : answer
  }),
  'a task that is ready is not put into the queue': onBatch((rows) => ({ ...rows, queued: rows.queued.slice(1) })),
  'a slot is given back twice': onRow('slots', (before: Slot | undefined, after: Slot) =>
    before && after.in_use < before.in_use ? { ...after, in_use: Math.max(0, after.in_use - 1) } : after,
  ),
  'the end of a map is not published': (simulation) => {
    const { live } = simulation.database
    const put = live.put.bind(live)
    live.put = (name, key, row) => {
      if (name !== 'run_inbox' || !(row as { command: string }).command.includes('map-ended')) put(name, key, row)
    }
  },
  'a child of a map counts twice when it ends': onRow('map_groups', (before: Group | undefined, after: Group) =>
    before && after.open < before.open ? { ...after, open: after.open - 1 } : after,
  ),
  'a slice of a map is not counted': onRow('map_groups', (before: Group | undefined, after: Group) =>
    before && after.made > before.made ? { ...after, open: before.open } : after,
  ),
  'a rerun takes over a task without its output': onBatch((rows) => ({ ...rows, payloadCopies: [], itemCopies: [] })),
  'runs of a workflow with a limit are not counted': onStatement((run, { database }) => (name, args, seen) => {
    const { projectId, ...key } = (args[0] ?? {}) as SlotKey
    const slot = name === 'admitRuns' ? database.live.get('slots', slotName(projectId, key)) : undefined
    if (slot) database.live.put('slots', slotName(projectId, key), { ...slot, in_use: 0 })
    return run(name, args, seen)
  }),
  'the queue is read as if nothing was paused': (simulation) => {
    const { database } = simulation
    pauseOften(simulation)
    onStatement((run) => (name, args, seen) => {
      if (!['leaseTasks', 'leaseLimited', 'writeBatch'].includes(name)) return run(name, args, seen)
      const blind = new Tables(seen ?? database.live)
      for (const row of database.live.all('queues')) {
        blind.put('queues', queueName(row.project_id, row.name), { ...row, paused: false })
      }
      return run(name, args, blind)
    })(simulation)
  },
  'a session that fell silent keeps its tasks': onStatement((run) => (name, args, seen) => {
    return name === 'requeueLostTasks' ? { lost: [], freed: [] } : run(name, args, seen)
  }),
}
