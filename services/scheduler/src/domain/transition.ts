import type { Scope, Template } from '@millrace/definition'
import type { LeaseProof } from './commands.js'
import { isCompensation } from './compensation.js'
import type { DroppedTimers, Effects, KeptSignal, MapChange, NewTimer, RunChange, TaskChange } from './effects.js'
import type { EnginePlan } from './engine-plan.js'
import type { Failure } from './failure.js'
import { isLargeOutput, type OutputArtifact } from './large-output.js'
import type { AdmissionTerms } from './limits/run-admission.js'
import type { TaskLimit } from './limits/task-limits.js'
import { assertRunTransition, type RunStatus } from './run-state.js'
import { scopeOf } from './scope.js'
import type { AdmissionState, RunState, TaskState } from './state.js'
import { assertTaskTransition, type TaskStatus, taskHasEnded } from './task-state.js'

/** Thrown when a decision from the cache would have to know which tasks are running. */
export class NeedsExactState extends Error {
  constructor() {
    super('this decision depends on queued or running')
    this.name = 'NeedsExactState'
  }
}

/**
 * Of inputs that one decision resolves, and one statement writes: two thousand of a mebibyte are not to be held at once.
 * After so much the run waits for `LARGE_INPUTS_REST_MS`, or it would keep the database and the workers from everybody else.
 */
export const LARGE_INPUTS_BYTES = 1024 * 1024
export const LARGE_INPUTS_REST_MS = 300

interface TaskFields {
  attempt?: number
  error?: Failure | null
  output?: string | null
  parsedOutput?: unknown
  input?: string
  guard?: LeaseProof
  fence?: boolean
  maxAttempts?: number
  attemptFailed?: boolean
  copyFrom?: string
  limits?: readonly TaskLimit[]
  artifact?: OutputArtifact
}

/**
 * The work sheet of one decision, or of several on the same run: it starts as a copy of the state, is changed by the
 * rules, and is read out as the next state and the effects. Each task leaves at most one change, whatever happened between.
 */
export class Transition {
  readonly tasks: TaskState[]
  /** Tasks that have not ended, without compensations. */
  open: number
  /** A task has failed whose failure stops the run. */
  stopping: boolean
  private postponed = false
  /** Characters of all inputs that this decision resolved. */
  private resolvedSize = 0
  private recheckAll = false
  private heavy = false
  private readonly changes = new Map<number, TaskChange>()
  private readonly moved = new Set<number>()
  private readonly maps = new Map<number, MapChange>()
  private readonly newTimers: NewTimer[] = []
  private readonly firedTimers: number[] = []
  private readonly readInbox: number[] = []
  private readonly deadLetters: number[] = []
  private readonly stopRequests: number[] = []
  private readonly unqueued: number[] = []
  private readonly requeued: number[] = []
  private dropRetryTimers = false
  private readonly taskTimersDropped: DroppedTimers[] = []
  private readonly children: { index: number; runId: string }[] = []
  private readonly abandonedRuns: { index: number; attempt: number }[] = []
  /** Attempts whose child has ended or was never made, by task index. */
  private readonly childOver = new Map<number, number>()
  private readonly approvals: { index: number; input: string }[] = []
  private readonly keptSignals: KeptSignal[] = []
  private readonly takenSignals: string[] = []
  private entering: AdmissionTerms | null = null
  private leaving = false
  private signals: readonly KeptSignal[]
  private run: RunChange | null = null

  constructor(
    readonly state: RunState,
    readonly plan: EnginePlan,
  ) {
    this.tasks = [...state.tasks]
    this.signals = state.signals
    this.stopping = this.tasks.some((task, i) => task.status === 'failed' && plan.tasks[i]?.onFailure === 'stop')
    this.open = this.tasks.filter((task, i) => !isCompensation(this, i) && !taskHasEnded(task.status)).length
  }

  /** The generation that this decision leaves behind. */
  get generation(): number {
    return this.state.generation + (this.run?.reopened ? 1 : 0)
  }

  get status(): RunStatus {
    return this.run?.status ?? this.state.status
  }

  get reason(): string | null {
    return this.run ? this.run.reason : this.state.reason
  }

  task(index: number): TaskState {
    const task = this.tasks[index]
    if (!task) throw new Error(`run ${this.state.id} has no task ${index}`)
    return task
  }

  indexOf(taskId: string): number {
    return this.state.indexById.get(taskId) ?? -1
  }

  /** Only a state that tells queued from running may decide on the difference. */
  requireExact(): void {
    if (!this.state.exact) throw new NeedsExactState()
  }

  moveTask(index: number, to: TaskStatus, fields: TaskFields = {}): void {
    const before = this.task(index)
    // A guard proves the row to be running, which a state from the cache cannot know.
    assertTaskTransition(before.id, fields.guard || fields.fence ? 'running' : before.status, to)
    if (before.status === 'waiting') this.endChild(index, before.attempt)
    if (!isCompensation(this, index)) this.open += Number(taskHasEnded(before.status)) - Number(taskHasEnded(to))
    const next: TaskState = {
      id: before.id,
      status: to,
      attempt: fields.attempt ?? before.attempt,
      maxAttempts: fields.maxAttempts ?? before.maxAttempts,
      error: fields.error === undefined ? before.error : fields.error,
      ...(to === 'waiting' && fields.input !== undefined ? { input: fields.input } : {}),
      ...(fields.parsedOutput !== undefined
        ? { output: fields.parsedOutput }
        : before.output !== undefined
          ? { output: before.output }
          : {}),
    }
    this.tasks[index] = next
    this.resolvedSize += fields.input?.length ?? 0
    this.moved.add(index)
    if (fields.parsedOutput !== undefined && fields.output && isLargeOutput(fields.output)) this.heavy = true
    this.recordChange(index, next, fields)
  }

  /** This decision has moved the task: what was set in motion for it before means what it was then. */
  hasMoved(index: number): boolean {
    return this.moved.has(index)
  }

  /** Takes a waiting map up again without its leaving that state: what its earlier attempt still brings is void. */
  beginNewRound(index: number): void {
    const attempt = this.task(index).attempt + 1
    const next = { ...this.task(index), attempt, maxAttempts: attempt }
    this.tasks[index] = next
    this.recordChange(index, next, {})
  }

  private recordChange(index: number, next: TaskState, fields: TaskFields): void {
    const earlier = this.changes.get(index)
    const output = fields.output !== undefined ? fields.output : earlier?.output
    const input = fields.input ?? earlier?.input
    const guard = fields.guard ?? earlier?.guard
    const fence = fields.fence ?? earlier?.fence
    const attemptFailed = fields.attemptFailed ?? earlier?.attemptFailed
    const limits = fields.limits ?? earlier?.limits
    this.changes.set(index, {
      index,
      status: next.status,
      attempt: next.attempt,
      maxAttempts: next.maxAttempts,
      error: next.error,
      ...(output !== undefined ? { output } : {}),
      ...(input !== undefined ? { input } : {}),
      ...(guard ? { guard } : {}),
      ...(fence ? { fence } : {}),
      ...(attemptFailed ? { attemptFailed } : {}),
      ...(fields.artifact ? { artifact: fields.artifact } : {}),
      ...(fields.copyFrom === undefined ? {} : { copyFrom: fields.copyFrom }),
      ...(limits ? { limits } : {}),
    })
  }

  /** The child of a task that stops waiting for it, or waits for its end alone: unless that has ended, it is to end too. */
  endChild(index: number, attempt: number): void {
    if (this.plan.tasks[index]?.uses !== 'workflow' || this.childOver.get(index) === attempt) return
    this.abandonedRuns.push({ index, attempt })
  }

  /** The child of the task's present attempt has ended, or was never made. */
  childIsOver(index: number): void {
    this.childOver.set(index, this.task(index).attempt)
  }

  recordChild(index: number, runId: string): void {
    this.children.push({ index, runId })
    this.recordChange(index, this.task(index), {})
  }

  moveRun(to: RunStatus, fields: Partial<Omit<RunChange, 'status'>> = {}): void {
    assertRunTransition(this.state.id, this.status, to)
    this.run = {
      status: to,
      reason: fields.reason !== undefined ? fields.reason : this.reason,
      started: fields.started ?? this.run?.started ?? false,
      ended: fields.ended ?? this.run?.ended ?? false,
      reopened: fields.reopened ?? this.run?.reopened ?? false,
      ...(fields.output !== undefined ? { output: fields.output } : {}),
      ...(fields.error !== undefined ? { error: fields.error } : {}),
    }
  }

  /** Also by what this very decision did: a run may begin, be paused and resumed in one batch. */
  get started(): boolean {
    return this.state.started || (this.run?.started ?? false)
  }

  get admission(): AdmissionState {
    return this.leaving ? 'none' : this.entering ? 'waiting' : this.state.admission
  }

  /** Enters the admission queue; says whether there was room already. */
  requestAdmission(terms: AdmissionTerms): AdmissionState {
    // Who left and comes again in one decision has never been away.
    if (this.leaving) this.leaving = false
    else if (this.state.admission === 'none' || !this.state.exact) this.entering = terms
    return this.admission
  }

  leaveAdmissionQueue(): void {
    if (this.entering) this.entering = null
    else this.leaving = true
  }

  /** Each map leaves at most one change, whatever happened between. */
  changeMap(index: number, change: Omit<MapChange, 'index'>): void {
    const earlier = this.maps.get(index)
    const keeps = change.ending === 'stop' && earlier?.ending !== undefined
    const retried = [...(earlier?.retried ?? []), ...(change.retried ?? [])]
    this.maps.set(index, {
      ...earlier,
      ...change,
      index,
      ...(keeps ? { ending: earlier.ending } : {}),
      ...(retried.length > 0 ? { retried } : {}),
    })
  }

  /** A map whose children have begun; they end before it does. */
  isOpenMap(index: number): boolean {
    return this.plan.tasks[index]?.uses === 'map' && this.task(index).status === 'waiting'
  }

  /** The state holds an output that is too large to be kept for long. */
  markHeavy(): void {
    this.heavy = true
  }

  /** Every pending task is to be judged again: a failure reaches further than its dependents. */
  askForRecheck(): void {
    this.recheckAll = true
  }

  takeRecheckAll(): boolean {
    const asked = this.recheckAll
    this.recheckAll = false
    return asked
  }

  /** No more fits into this decision: neither into the time that expressions may take, nor into one statement. */
  get isFull(): boolean {
    return this.postponed || this.isLarge
  }

  private get isLarge(): boolean {
    return this.resolvedSize > LARGE_INPUTS_BYTES
  }

  /** What is ready and has not begun begins with the next decision, which a timer brings. */
  postpone(): void {
    const delayMs = this.isLarge ? LARGE_INPUTS_REST_MS : 0
    if (!this.postponed) this.addTimer({ kind: 'advance', taskIndex: null, delayMs })
    this.postponed = true
  }

  addTimer(timer: NewTimer): void {
    this.newTimers.push(timer)
  }

  timerFired(timerId: number): void {
    this.firedTimers.push(timerId)
  }

  inboxRead(id: number): void {
    this.readInbox.push(id)
  }

  deadLetter(index: number): void {
    this.deadLetters.push(index)
  }

  requestStop(index: number): void {
    this.stopRequests.push(index)
  }

  enterQueue(index: number): void {
    this.requeued.push(index)
  }

  /** No timer of a retry stands after this, but those that this decision adds. */
  suspendRetries(): void {
    this.dropRetryTimers = true
  }

  dropTaskTimers(index: number, { keepTotal = false } = {}): void {
    this.taskTimersDropped.push({ index, keepTotal })
  }

  requestApproval(index: number, input: string): void {
    this.approvals.push({ index, input })
  }

  keepSignal(signal: KeptSignal): void {
    if (this.signals.some(({ id }) => id === signal.id)) return
    this.signals = [...this.signals, signal]
    this.keptSignals.push(signal)
  }

  takeSignal(name: string): KeptSignal | undefined {
    const found = this.signals.find((signal) => signal.name === name)
    if (!found) return undefined
    this.signals = this.signals.filter((signal) => signal !== found)
    this.takenSignals.push(found.id)
    return found
  }

  /** The resolved `with` of a waiting task. */
  inputOf(index: number): string {
    return this.task(index).input ?? this.plan.tasks[index]?.staticInput ?? 'null'
  }

  leaveQueue(index: number): void {
    this.unqueued.push(index)
  }

  /** What a template of task `index` sees; without an index, what the run's output sees. */
  scope(template: Template, index: number | null, attempt: number): Scope {
    const key = index === null ? '' : (this.plan.tasks[index]?.key ?? '')
    const { state, tasks, plan, generation } = this
    return scopeOf({ state, tasks, plan, generation }, template, { key, index: -1, attempt })
  }

  /** A run that ends gives back its place, whether it had one or only waited for it. */
  private endsCounted(run: RunChange | null): boolean {
    return run?.ended === true && this.plan.concurrency !== undefined && this.state.rev > 0
  }

  finish(): { state: RunState; effects: Effects } {
    const { changes, run, firedTimers, newTimers, readInbox, keptSignals } = this
    const changed =
      changes.size > 0 ||
      run !== null ||
      firedTimers.length > 0 ||
      newTimers.length > 0 ||
      readInbox.length > 0 ||
      keptSignals.length > 0 ||
      this.entering !== null ||
      this.leaving
    const state: RunState = {
      ...this.state,
      rev: changed ? this.state.rev + 1 : this.state.rev,
      status: this.status,
      started: this.started,
      reason: this.reason,
      heavy: this.state.heavy || this.heavy,
      generation: this.state.generation + (run?.reopened ? 1 : 0),
      tasks: this.tasks,
      signals: this.signals,
    }
    const effects: Effects = {
      run,
      maps: [...this.maps.values()],
      tasks: [...changes.values()],
      newTimers: run?.ended ? [] : newTimers,
      firedTimers,
      readInbox,
      deadLetters: this.deadLetters,
      stopRequests: this.stopRequests,
      unqueued: this.unqueued,
      requeued: this.requeued,
      dropRetryTimers: this.dropRetryTimers,
      taskTimersDropped: this.taskTimersDropped,
      children: this.children,
      abandonedRuns: this.abandonedRuns,
      approvals: this.approvals,
      keptSignals,
      takenSignals: this.takenSignals,
      admissionChange: { entering: run?.ended ? null : this.entering, leaving: this.leaving || this.endsCounted(run) },
    }
    return { state, effects }
  }
}
