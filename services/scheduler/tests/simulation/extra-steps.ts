import { type BatchRows, emptyRows } from '../../src/db/batch/clauses.js'
import type { QueueChange } from '../../src/db/queues.js'
import { noDequeue } from '../../src/domain/queue.js'
import type { Chance } from './chance.js'
import type { OperationName } from './model/operations.js'
import type { RunTuple, TableName, Tables } from './model/tables.js'
import type { Recorded } from './record-seed.js'

type Once = (model: Tables) => Pick<Recorded, 'name' | 'args'> | undefined

/** What happens once a history, as soon as it can: by itself it is too rare. */
export const onceEach: readonly Once[] = [
  (model) => {
    const held = [...model.all('tasks')].find(({ status, session_id: by }) => status === 'running' && by !== null)
    if (!held?.lease_id) return undefined
    const lease = { taskId: held.id, leaseId: held.lease_id, token: held.token, wait: { ms: 50, detail: 'circuit' } }
    return { name: 'handBackTasks', args: [[lease]] }
  },
  (model) => {
    const group = [...model.all('map_groups')].find(({ made }) => made > 0)
    return group && { name: 'recountMap', args: [{ run_id: group.run_id, ordinal: group.ordinal }] }
  },
  (model) => {
    const group = [...model.all('map_groups')].find(({ made }) => made > 1)
    return group && { name: 'loadItemsBetween', args: [{ run_id: group.run_id, ordinal: group.ordinal }, 1, 3] }
  },
  (model) => {
    const [timer] = model.all('timers')
    return timer && { name: 'postponeChildRequest', args: [timer.id, 50] }
  },
  (model) => {
    const [run] = model.all('runs')
    return run && { name: 'putInInbox', args: [run.id, { kind: 'pause' }, `extra:${run.id}`] }
  },
]

/** A batch that changes nothing of a run but this. */
function batchOf(run: RunTuple, more: Partial<BatchRows>): Pick<Recorded, 'name' | 'args'> {
  const { id: runId, rev: expectedRev, status, reason } = run
  const unchanged = { setOutput: false, output: null, setError: false, error: null }
  const flags = { started: false, ended: false, reopened: false, dropRetries: false }
  const runChanges = [{ runId, expectedRev, status, reason, ...unchanged, ...flags }]
  return { name: 'writeBatch', args: [{ ...emptyRows(), runChanges, ...more }, noDequeue] }
}

/** Kinds of rows that histories have too seldom or never, at their end: they raise a rev of which the recording knows nothing. */
export const atTheEnd: readonly Once[] = [
  (model) => {
    const [signal] = model.all('run_signals')
    const run = signal && model.get('runs', signal.run_id)
    return run && batchOf(run, { takenSignals: [{ id: signal.id, runId: run.id }] })
  },
  // Outputs of the simulation are small.
  (model) => {
    const task = [...model.all('tasks')].find(({ id }) => model.get('task_payloads', id)?.output)
    const run = task && model.get('runs', task.run_id)
    const artifact = { input: null, output: null, artifactId: 'f2b1d0a4-0000-4000-8000-000000000001', artifactSize: 9 }
    return run && batchOf(run, { largePayloads: [{ taskId: task.id, unit: run.id, ...artifact }] })
  },
]

/** What a history seldom needs, on rows that are there. */
export function extraStep(chance: Chance, model: Tables, now: number): Recorded | undefined {
  const step = (name: OperationName, ...args: unknown[]): Recorded => ({ name, args, now, leases: [] })
  const any = <N extends TableName>(name: N) => {
    const rows = [...model.all(name)]
    return rows.length === 0 ? undefined : chance.pick(rows)
  }
  const [run, timer, session, group] = [any('runs'), any('timers'), any('sessions'), any('map_groups')]
  const task = any('tasks')
  const steps = [
    step('alignQueues', true, 100),
    ...(task ? [step('setQueue', task.project_id, task.queue, settings(chance))] : []),
    ...(run ? [step('lockRun', run.id), step('findInboxOf', [run.id]), step('loadAdmission', run.id)] : []),
    ...(run ? [step('findOpenRuns', [run.id])] : []),
    ...(timer ? [step('deleteTimer', timer.id), step('claimChildRequest', timer.id, 8000)] : []),
    ...(group ? [step('recountMap', { run_id: group.run_id, ordinal: group.ordinal })] : []),
    ...(session ? [step('setSessionState', session.id, chance.pick(['active', 'paused', 'draining']))] : []),
    ...(session && chance.bool(0.3) ? [step('endSession', session.id)] : []),
  ]
  return chance.pick(steps)
}

const settings = (chance: Chance): QueueChange => ({
  ...{ paused: chance.bool(0.2), weight: null, profile: null, defaults: null },
  concurrency: chance.pick([null, 1, 2]),
  rateLimit: chance.bool(0.3) ? { limit: chance.int(1, 2), perMs: 1000 } : null,
})
