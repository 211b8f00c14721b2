import { compilePlan, validateDefinition } from '@millrace/definition'
import type { Command, LeaseProof } from '../../src/domain/commands.js'
import { decide } from '../../src/domain/decide.js'
import type { Effects, MapEnding } from '../../src/domain/effects.js'
import { type EnginePlan, toEnginePlan } from '../../src/domain/engine-plan.js'
import { failure } from '../../src/domain/failure.js'
import { runHasEnded } from '../../src/domain/run-state.js'
import type { RunState } from '../../src/domain/state.js'
import { taskHasEnded } from '../../src/domain/task-state.js'
import { NeedsExactState } from '../../src/domain/transition.js'
import { realEnvironment } from '../../src/engine/environment.js'
import { initialRun } from '../../src/engine/run-states.js'
import type { NewRunFacts } from '../../src/engine/shard-item.js'

export function planOf(tasks: object, more: object = {}): EnginePlan {
  const result = validateDefinition({ name: 'model', ...more, tasks })
  if (!result.definition) throw new Error(JSON.stringify(result.errors))
  return toEnginePlan(compilePlan(result.definition))
}

const newRun: NewRunFacts = {
  runId: 'run',
  projectId: 'project',
  workflowId: null,
  workflow: 'model',
  version: 1,
  versionId: 'version',
  input: null,
  priority: 5,
  labels: {},
  createdAt: '2026-01-01T00:00:00.000Z',
  requestedBy: '',
  traceparent: null,
  origin: null,
  hold: false,
  delayMs: 0,
}

/** Before its first command. */
export const newState = (plan: EnginePlan): RunState => initialRun(newRun, plan, realEnvironment)

interface Row {
  token: number
  leaseId: string | null
  running: boolean
}

/**
 * One run with the part of the rows that the statement guards: who holds which task under which token. Commands go to
 * `decide` from a cached state first and, where that refuses, from an exact one, as on the fast and the locked path.
 */
export class ModelRun {
  state: RunState
  readonly rows: Row[]
  readonly sent: Command[] = []
  readonly timers = new Map<number, { kind: string; taskId: string }>()
  /** Maps whose children have not all ended, by index. */
  readonly groups = new Map<number, { round: number; ending: MapEnding | null }>()
  readonly history: { statuses: string[]; run: string }[] = []
  completions = 0
  private nextTimer = 1

  constructor(readonly plan: EnginePlan) {
    this.state = newState(plan)
    this.rows = plan.tasks.map(() => ({ token: 0, leaseId: null, running: false }))
    this.apply({ kind: 'start' })
  }

  get ended(): boolean {
    return runHasEnded(this.state.status)
  }

  queued(): number[] {
    return this.state.tasks.flatMap((task, i) => (task.status === 'queued' && !this.rows[i]?.running ? [i] : []))
  }

  running(): number[] {
    return this.state.tasks.flatMap((task, i) => (task.status === 'queued' && this.rows[i]?.running ? [i] : []))
  }

  lease(index: number): void {
    const row = this.row(index)
    row.token += 1
    row.leaseId = `lease-${index}-${row.token}`
    row.running = true
  }

  /** The worker is lost: the task goes back to the queue under a new token. */
  lose(index: number): void {
    const row = this.row(index)
    row.token += 1
    row.leaseId = null
    row.running = false
  }

  report(index: number, succeeds: boolean, retryable = true): void {
    const task = this.state.tasks[index]
    const row = this.row(index)
    if (!task) return
    const lease: LeaseProof = { token: row.token, leaseId: row.leaseId ?? '' }
    const error = failure('model', 'failed', retryable ? 'user' : 'non_retryable', retryable)
    this.apply(
      succeeds
        ? { kind: 'succeed', taskId: task.id, lease, output: '1' }
        : { kind: 'fail', taskId: task.id, lease, error, random: 0.5 },
    )
  }

  /** The last item of a map ends; `failed` of its three failed. */
  endMap(index: number, failed: number): void {
    const task = this.state.tasks[index]
    const group = this.groups.get(index)
    if (!task || !group) return
    this.groups.delete(index)
    const error = failure('model', 'failed', 'user')
    const firstError = failed > 0 ? { index: 0, error } : null
    const succeeded = group.ending ? 1 : 3 - failed
    const outcome = { ending: group.ending, total: 3, succeeded, failed, firstError, output: '[1,null,1]' }
    this.apply({ kind: 'map-ended', taskId: task.id, round: group.round, outcome })
  }

  fire(timerId: number): void {
    const timer = this.timers.get(timerId)
    if (!timer) return
    if (timer.kind === 'retry') this.apply({ kind: 'retry-due', taskId: timer.taskId, timerId })
    else if (timer.kind === 'cancel-deadline') this.apply({ kind: 'cancel-deadline', timerId })
    else this.apply({ kind: 'run-timeout', timerId })
  }

  /** Sends a command as the engine would; a stale lease changes nothing. */
  apply(command: Command): void {
    this.sent.push(command)
    if ('lease' in command && !this.holds(command.taskId, command.lease)) return
    const before = this.state
    let decision: { state: RunState; effects: Effects }
    try {
      decision = decide(before, [command], this.plan)
    } catch (error) {
      if (!(error instanceof NeedsExactState)) throw error
      decision = decide(this.exact(), [command], this.plan)
    }
    if (command.kind !== 'retry') this.check(before, decision)
    this.take(decision)
  }

  private holds(taskId: string, lease: LeaseProof): boolean {
    const row = this.rows[this.state.indexById.get(taskId) ?? -1]
    return row?.running === true && row.token === lease.token && row.leaseId === lease.leaseId
  }

  private exact(): RunState {
    const tasks = this.state.tasks.map((task, i) =>
      task.status === 'queued' && this.rows[i]?.running ? { ...task, status: 'running' as const } : task,
    )
    return { ...this.state, tasks, exact: true }
  }

  private check(before: RunState, { state, effects }: { state: RunState; effects: Effects }): void {
    if (runHasEnded(before.status) && effects.tasks.length > 0)
      throw new Error('a task changed after the run had ended')
    before.tasks.forEach((task, i) => {
      if (taskHasEnded(task.status) && state.tasks[i]?.status !== task.status) throw new Error('an ended task changed')
    })
    for (const { index, status } of effects.tasks) {
      if (status === 'queued' || status === 'waiting') this.checkNeeds(state, index)
    }
    for (const index of this.groups.keys()) {
      if (state.tasks[index]?.status !== 'waiting') throw new Error('a map ended before its children')
    }
    if (runHasEnded(state.status) && state.tasks.some((task) => !taskHasEnded(task.status))) {
      throw new Error('the run ended with open tasks')
    }
    if (new Set(effects.tasks.map(({ index }) => index)).size !== effects.tasks.length) {
      throw new Error('a task was changed twice by one decision')
    }
  }

  private checkNeeds(state: RunState, index: number): void {
    const { needs = [], when } = this.plan.tasks[index] ?? {}
    const statuses = needs.map((need) => state.tasks[need]?.status ?? 'pending')
    if (when === 'all_success' && statuses.some((status) => status !== 'succeeded')) {
      throw new Error(`task ${index} began before its needs succeeded: ${statuses}`)
    }
    if (when === 'all_done' && !statuses.every(taskHasEnded)) throw new Error(`task ${index} began too early`)
  }

  private take({ state, effects }: { state: RunState; effects: Effects }): void {
    for (const change of effects.tasks) {
      const row = this.row(change.index)
      if (change.status !== 'queued' || change.guard) row.running = false
      if (change.fence) {
        row.token += 1
        row.leaseId = null
      }
    }
    for (const { index, opened, ending } of effects.maps) {
      const group = this.groups.get(index)
      if (opened) this.groups.set(index, { round: state.tasks[index]?.attempt ?? 0, ending: ending ?? null })
      else if (group && ending && (group.ending === null || group.ending === 'stop')) group.ending = ending
    }
    for (const id of effects.firedTimers) this.timers.delete(id)
    if (effects.run?.ended) this.timers.clear()
    for (const timer of effects.newTimers) {
      const taskId = timer.taskIndex === null ? '' : (state.tasks[timer.taskIndex]?.id ?? '')
      this.timers.set(this.nextTimer++, { kind: timer.kind, taskId })
    }
    if (effects.run?.ended) this.completions += 1
    const tasks = state.tasks.map((task) => (task.status === 'running' ? { ...task, status: 'queued' as const } : task))
    this.state = { ...state, tasks, exact: false }
    this.history.push({ statuses: tasks.map((task) => task.status), run: state.status })
  }

  private row(index: number): Row {
    const row = this.rows[index]
    if (!row) throw new Error(`no task ${index}`)
    return row
  }
}
