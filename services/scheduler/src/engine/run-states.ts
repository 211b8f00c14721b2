import { LRUCache } from 'lru-cache'
import type { Payloads, RunRow, TaskRow } from '../db/load-runs.js'
import { childRunId } from '../domain/child-run.js'
import type { KeptSignal } from '../domain/effects.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import { runHasEnded } from '../domain/run-state.js'
import type { AdmissionState, RunState, TaskState } from '../domain/state.js'
import type { Environment } from './environment.js'
import { groupBy } from './group-by.js'
import type { Outputs } from './outputs.js'
import type { Plans } from './plans.js'
import type { NewRunFacts } from './shard-item.js'
import type { RunReads } from './store.js'

/** A run as it is before its creation: all tasks pending, rev 0. */
export function initialRun(newRun: NewRunFacts, plan: EnginePlan, env: Environment): RunState {
  const tasks = plan.tasks.map(
    (task): TaskState => ({
      id: env.newId(),
      status: 'pending',
      attempt: 0,
      maxAttempts: task.retry.maxAttempts,
      error: null,
    }),
  )
  return {
    id: newRun.runId,
    projectId: newRun.projectId,
    workflow: newRun.workflow,
    version: newRun.version,
    versionId: newRun.versionId,
    rev: 0,
    generation: 1,
    status: 'queued',
    started: false,
    reason: null,
    priority: newRun.priority,
    labels: newRun.labels,
    input: newRun.input === null ? null : JSON.parse(newRun.input),
    createdAt: newRun.createdAt,
    requestedBy: newRun.requestedBy,
    traceparent: newRun.traceparent,
    origin: newRun.origin,
    queueDefaults: null,
    heavy: false,
    tasks,
    indexById: new Map(tasks.map((task, index) => [task.id, index])),
    admission: 'none',
    signals: [],
    exact: true,
  }
}

export function runStateFromRows(
  run: RunRow,
  tasks: readonly TaskRow[],
  loaded: {
    payloads: Payloads
    signals: readonly KeptSignal[]
    admission?: AdmissionState
    openChildren?: ReadonlySet<string>
  },
  exact: boolean,
): RunState {
  return {
    id: run.id,
    projectId: run.project_id,
    workflow: run.workflow,
    version: run.version,
    versionId: run.version_id,
    rev: run.rev,
    generation: run.generation,
    status: run.status,
    started: run.started_at !== null,
    reason: run.reason,
    priority: run.priority,
    labels: run.labels,
    input: run.input,
    createdAt: run.created_at.toISOString(),
    requestedBy: run.requested_by,
    traceparent: run.traceparent,
    origin: run.origin,
    queueDefaults: run.queue_defaults,
    heavy: tasks.some((row) => (loaded.payloads.get(row.id)?.artifact_id ?? null) !== null),
    tasks: tasks.map((row) => toTaskState(row, loaded.payloads, exact)),
    indexById: new Map(tasks.map((row, index) => [row.id, index])),
    admission: loaded.admission ?? 'none',
    ...(loaded.openChildren ? { openChildren: loaded.openChildren } : {}),
    signals: loaded.signals,
    exact,
  }
}

function toTaskState(row: TaskRow, payloads: Payloads, exact: boolean): TaskState {
  const payload = payloads.get(row.id)
  return {
    id: row.id,
    status: !exact && row.status === 'running' ? 'queued' : row.status,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    error: row.error,
    ...(row.status === 'waiting' && payload?.input ? { input: payload.input } : {}),
    ...(payload && payload.output !== null ? { output: payload.output } : {}),
  }
}

/** Tasks whose payloads a decision may need: outputs that expressions name, inputs of those that wait. */
export const payloadTaskIds = (plan: EnginePlan, tasks: readonly TaskRow[]): string[] =>
  tasks.filter((row) => plan.namedOutputs.has(row.ordinal) || readsInput(plan, row)).map((row) => row.id)

/** The runs that tasks of this one wait for, whether they are there yet or not. */
export const awaitedRunIds = (plan: EnginePlan, tasks: readonly TaskRow[]): string[] =>
  tasks.flatMap(({ id, ordinal, status, attempt }) =>
    status === 'waiting' && plan.tasks[ordinal]?.uses === 'workflow' ? [childRunId(id, attempt)] : [],
  )

/** A map's items are kept with its group. */
const readsInput = (plan: EnginePlan, row: TaskRow): boolean =>
  row.status === 'waiting' && plan.tasks[row.ordinal]?.uses !== 'map'

/** Lease fields are never cached: queued and running look the same from here on. */
function withoutLeases(state: RunState): RunState {
  const tasks = state.tasks.map((task) => (task.status === 'running' ? { ...task, status: 'queued' as const } : task))
  return { ...state, tasks, exact: false }
}

/**
 * Runs that were decided on lately. Only a hint: every write checks the rev, and a stale entry merely loses, is dropped
 * and read again.
 */
export class RunStates {
  private readonly cache: LRUCache<string, RunState>

  constructor(
    private readonly plans: Plans,
    maxRuns: number,
    private readonly outputs?: Outputs | undefined,
  ) {
    this.cache = new LRUCache({ max: maxRuns })
  }

  keep(state: RunState): void {
    // A heavy run is read anew for each decision: its outputs would fill the memory.
    if (runHasEnded(state.status) || state.heavy) this.cache.delete(state.id)
    else this.cache.set(state.id, state.exact ? withoutLeases(state) : state)
  }

  drop(runId: string): void {
    this.cache.delete(runId)
  }

  /**
   * The runs among these that exist, from the cache or else read in one go. A run whose definition cannot be had now is
   * among `failed`, and holds up nobody else's.
   */
  async get(store: RunReads, runIds: readonly string[]): Promise<Found> {
    const found: Found = { states: new Map(), failed: new Map(), cached: new Set() }
    const missing: string[] = []
    for (const id of runIds) {
      const state = this.cache.get(id)
      if (state) {
        found.states.set(id, state)
        found.cached.add(id)
      } else missing.push(id)
    }
    if (missing.length > 0) await this.read(store, missing, found)
    return found
  }

  private async read(store: RunReads, runIds: readonly string[], found: Found): Promise<void> {
    // The run before its tasks: what changes in between then raises a rev that was read already, and the write loses.
    // The other way round, old tasks would pass under the new rev.
    const runs = await store.loadRunRows(runIds)
    const tasks = groupBy(await store.loadTaskRows(runIds), (row) => row.run_id)
    const readable: RunRow[] = []
    const wanted: string[] = []
    const signalled: string[] = []
    for (const run of runs) {
      try {
        const plan = await this.plans.get(run.version_id)
        wanted.push(...payloadTaskIds(plan, tasks.get(run.id) ?? []))
        if (plan.hasSignals) signalled.push(run.id)
        readable.push(run)
      } catch (error) {
        found.failed.set(run.id, error)
      }
    }
    const payloads = await store.loadPayloads(wanted)
    const failures = await this.outputs?.fill(payloads)
    const signals = await store.loadSignals(signalled)
    for (const run of readable) {
      const failed = failures?.size ? (tasks.get(run.id) ?? []).find((row) => failures.has(row.id)) : undefined
      if (failed) {
        found.failed.set(run.id, failures?.get(failed.id))
        continue
      }
      const state = runStateFromRows(
        run,
        tasks.get(run.id) ?? [],
        { payloads, signals: signals.get(run.id) ?? [] },
        false,
      )
      found.states.set(run.id, state)
      this.keep(state)
    }
  }
}

export interface Found {
  readonly states: Map<string, RunState>
  readonly failed: Map<string, unknown>
  /** Those among `states` that were not read now, and may be old. */
  readonly cached: Set<string>
}
