import type { TaskLimit } from '../../src/domain/limits/task-limits.js'
import { RunStatus, runHasEnded, runTransitions } from '../../src/domain/run-state.js'
import { TaskStatus, taskHasEnded, taskTransitions } from '../../src/domain/task-state.js'
import { executors } from './definitions.js'
import { childrenOf, groupKey } from './model/group-model.js'
import type {
  AdmissionTuple,
  EventTuple,
  MapGroupTuple,
  PayloadTuple,
  QueueSettingsTuple,
  RunTuple,
  SessionTuple,
  SlotHoldTuple,
  TableName,
  Tables,
  TaskTuple,
} from './model/tables.js'
import { type Pauses, queueName } from './pauses.js'

/** A decision may take several legal steps at once; none of those between may be an end. */
function closure<S extends string>(
  statuses: readonly S[],
  transitions: Record<S, readonly S[]>,
  ended: (status: S) => boolean,
): Record<S, Set<S>> {
  const reach = (from: S): Set<S> => {
    const found = new Set<S>()
    const look = [...transitions[from]]
    for (const status of look) {
      if (found.has(status)) continue
      found.add(status)
      if (!ended(status)) look.push(...transitions[status])
    }
    return found
  }
  return Object.fromEntries(statuses.map((status) => [status, reach(status)])) as Record<S, Set<S>>
}

const legalTask = closure(Object.values(TaskStatus), taskTransitions, taskHasEnded)
const legalRun = closure(Object.values(RunStatus), runTransitions, runHasEnded)

/** A status written once more: the child of a waiting task became known, or a retry led to the same end, or to a map. */
const repeats = (before: TaskTuple, after: TaskTuple): boolean =>
  before.status === after.status &&
  !taskHasEnded(before.status) &&
  !(before.status === 'waiting' && (after.uses === 'workflow' || after.uses === 'map'))

/** What must hold after every statement, and at the end. It knows nothing of how the engine keeps it. */
export class Invariants {
  readonly violations: string[] = []
  readonly counts: Record<string, number> = {}
  private readonly leaseIds = new Set<string>()
  /** Leases whose report took effect. */
  private readonly claimed = new Set<string>()
  private readonly claims = new Set<string>()
  /** Children that someone retried by themselves: they do not wait for a place beside the others. */
  private retriedChildren = 0
  private readonly queueLimits = new Map<string, number>()

  constructor(
    private readonly live: Tables,
    private readonly pauses: Pauses,
  ) {
    live.watcher = (table, before, after) => this.changed(table, before, after)
  }

  violated(text: string): void {
    this.violations.push(text)
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }

  /** A worker was told that its result counts. */
  accepted(leaseId: string): void {
    this.count('accepted')
    if (!this.claimed.has(leaseId)) this.violated(`a result of lease ${leaseId} was accepted and left no trace`)
  }

  private changed(table: TableName, before: unknown, after: unknown): void {
    if (after === undefined) return
    if (table === 'tasks') this.taskChanged(before as TaskTuple | undefined, after as TaskTuple)
    else if (table === 'runs') this.runChanged(before as RunTuple | undefined, after as RunTuple)
    else if (table === 'task_payloads') this.outputStored(before as PayloadTuple | undefined, after as PayloadTuple)
    else if (table === 'slot_holds') this.slotTaken(after as SlotHoldTuple)
    else if (table === 'queues') this.queueSet(before === undefined, after as QueueSettingsTuple)
    else if (table === 'sessions')
      this.pauses.set((after as SessionTuple).id, (after as SessionTuple).state !== 'active')
    else if (table === 'run_admissions') this.runAdmitted(before as AdmissionTuple | undefined, after as AdmissionTuple)
    else if (table === 'events') this.eventTold(after as EventTuple)
  }

  private taskChanged(before: TaskTuple | undefined, after: TaskTuple): void {
    const where = `task ${after.id} (${after.key})`
    if (after.status === 'running' && before?.rev !== after.rev) this.leased(before, after)
    if (!before) return
    // It ran before its queue had a limit, and counts from now on.
    if (JSON.stringify(after) === JSON.stringify({ ...before, holds_slots: true })) return
    if (after.rev !== before.rev + 1) this.violated(`${where}: rev ${before.rev} → ${after.rev}`)
    const step = `${before.status} → ${after.status}`
    this.count(step)
    if (!legalTask[before.status].has(after.status) || repeats(before, after)) {
      this.violated(`${where}: ${step} is not legal`)
    }
    if (after.token < before.token || after.token > before.token + 1) {
      this.violated(`${where}: token ${before.token} → ${after.token}`)
    }
    if (after.idx >= 0 && before.status === 'failed' && after.status === 'queued') this.retriedChildren += 1
    const sameAttempt = after.attempt === before.attempt
    if (before.status === 'running' && after.status === 'queued' && sameAttempt && after.token === before.token) {
      this.violated(`${where}: went back to the queue without a fence`)
    }
    if (after.attempt > after.max_attempts && after.status !== 'pending') {
      this.violated(`${where}: attempt ${after.attempt} of ${after.max_attempts}`)
    }
  }

  private leased(before: TaskTuple | undefined, after: TaskTuple): void {
    const where = `task ${after.id} (${after.key})`
    if (after.lease_id === null || after.session_id === null) this.violated(`${where}: runs without a lease`)
    else if (this.leaseIds.has(after.lease_id)) this.violated(`${where}: lease ${after.lease_id} was given twice`)
    else this.leaseIds.add(after.lease_id)
    if (after.token === (before?.token ?? 0)) this.violated(`${where}: was leased under an old token`)
    const run = this.live.get('runs', after.run_id)
    if (run && runHasEnded(run.status)) this.violated(`${where}: was leased after its run had ended`)
    if (run?.status === 'paused') this.violated(`${where}: was leased while its run is paused`)
    // What waits of a map leaves the queue a little later.
    if (run?.status === 'cancelling' && after.idx < 0 && !after.key.endsWith('.compensate')) {
      this.violated(`${where}: was leased while its run is being cancelled`)
    }
    for (const paused of [queueName(after.project_id, after.queue), after.session_id ?? '']) {
      const text = this.pauses.leasedFrom(paused)
      if (text) this.violated(`${where}: ${text}`)
    }
    const admission = this.live.get('run_admissions', after.run_id)
    if (admission && admission.state !== 'admitted')
      this.violated(`${where}: was leased while its run waits to be admitted`)
    if (after.idx >= 0) this.childLeased(after)
  }

  private childLeased(child: TaskTuple): void {
    this.count('a child of a map was leased')
    const group = this.live.get('map_groups', groupKey(child))
    const running = childrenOf(this.live, child).filter(({ status, id }) => status === 'running' && id !== child.id)
    if (!group) this.violated(`child ${child.id}: was leased and has no map`)
    else if (running.length + 1 > group.max_parallel + this.retriedChildren) {
      this.violated(`map ${group.task_id}: ${running.length + 1} run at a time, not ${group.max_parallel}`)
    }
  }

  /** A change may reach a lease that is under way late: what counts is the most that the queue ever allowed. */
  private queueSet(first: boolean, { project_id, name, concurrency, weight, paused }: QueueSettingsTuple): void {
    this.count('settings of a queue changed')
    if (weight !== null) this.count('a queue got a weight')
    if (paused) this.count('a queue was paused')
    const queue = queueName(project_id, name)
    this.pauses.set(queue, paused)
    const earlier = first && this.leaseIds.size === 0 ? 0 : (this.queueLimits.get(queue) ?? Number.POSITIVE_INFINITY)
    this.queueLimits.set(queue, Math.max(earlier, concurrency ?? Number.POSITIVE_INFINITY))
  }

  private runAdmitted(before: AdmissionTuple | undefined, after: AdmissionTuple): void {
    if (after.state !== 'admitted' || before?.state === 'admitted') return
    this.count('a run was admitted')
    let live = 1
    for (const { run_id, project_id, key, state } of this.live.all('run_admissions')) {
      if (run_id !== after.run_id && project_id === after.project_id && key === after.key && state === 'admitted')
        live += 1
    }
    if (live > after.run_limit) this.violated(`${after.key}: ${live} runs under a limit of ${after.run_limit}`)
  }

  private runChanged(before: RunTuple | undefined, after: RunTuple): void {
    if (!before) {
      if (after.rev !== 1) this.violated(`run ${after.id}: created with rev ${after.rev}`)
      return
    }
    const step = `${before.status} → ${after.status}`
    if (before.status !== after.status) this.count(`run ${step}`)
    if (after.rev !== before.rev + 1) this.violated(`run ${after.id}: rev ${before.rev} → ${after.rev}`)
    if (before.status !== after.status && !legalRun[before.status].has(after.status)) {
      this.violated(`run ${after.id}: ${step} is not legal`)
    }
    // A retry and a cancel in one batch: reopened, and ended again.
    const reopened = runHasEnded(before.status) && before.finished_at !== after.finished_at
    if (after.generation !== before.generation + (reopened ? 1 : 0)) {
      this.violated(`run ${after.id}: ${step}, generation ${before.generation} → ${after.generation}`)
    }
  }

  /** Workers sign their outputs with their lease: the row must be ended under that very lease. */
  private outputStored(before: PayloadTuple | undefined, after: PayloadTuple): void {
    if (after.output === null || after.output === before?.output) return
    const by = (JSON.parse(after.output) as { by?: unknown } | null)?.by
    if (typeof by !== 'string' || !this.leaseIds.has(by)) return
    const task = this.live.get('tasks', after.task_id)
    if (task && this.wasTakenOver(task)) {
      this.count('an output was taken over')
      return
    }
    if (task?.lease_id !== by || task.status !== 'succeeded') {
      this.violated(`task ${after.task_id}: has the output of lease ${by}, which it was not under`)
    }
    if (before && before.output !== null) this.violated(`task ${after.task_id}: a second output was stored`)
  }

  /** Succeeded in a rerun without anybody's work. */
  private wasTakenOver({ run_id, uses, status, token }: TaskTuple): boolean {
    const isRerun = this.live.get('runs', run_id)?.origin?.includes('"rerun"') ?? false
    return isRerun && token === 0 && status === 'succeeded' && executors.includes(uses)
  }

  /** Counted from who holds, not from the counter. */
  private slotTaken({ task_id, project_id, scope, key }: SlotHoldTuple): void {
    const task = this.live.get('tasks', task_id)
    // It ran before its queue had this limit, or before its scheduler knew of it: it counts, whether there is room or not.
    if (scope === 'queue' && task?.status === 'running' && !task.holds_slots) {
      this.count('what ran was counted in')
      return
    }
    this.count('a slot was taken')
    const limits = JSON.parse(this.live.get('task_limits', task_id)?.limits ?? '[]') as TaskLimit[]
    const ofTask = limits.find((one) => one.scope === scope && one.key === key)?.limit
    const limit = scope === 'queue' ? this.queueLimits.get(`${project_id}/${key}`) : ofTask
    let held = 1
    for (const hold of this.live.all('slot_holds')) {
      if (hold.task_id !== task_id && hold.project_id === project_id && hold.scope === scope && hold.key === key)
        held += 1
    }
    if (limit !== undefined && held > limit) this.violated(`${scope} ${key}: ${held} run under a limit of ${limit}`)
  }

  private eventTold(event: EventTuple): void {
    if (event.topic !== 'task.completed' && event.topic !== 'task.failed') return
    const { leaseId, attempt } = event.data as { leaseId: string; attempt: number }
    if (this.claimed.has(leaseId)) this.violated(`task ${event.subject}: two results of lease ${leaseId} took effect`)
    this.claimed.add(leaseId)
    const claim = `${event.subject}/${attempt}`
    if (this.claims.has(claim)) this.violated(`task ${event.subject}: two results of attempt ${attempt} took effect`)
    this.claims.add(claim)
    if (this.live.get('tasks', event.subject)?.lease_id !== leaseId) {
      this.violated(`task ${event.subject}: a result of lease ${leaseId} took effect, which it was not under`)
    }
  }

  /** When everything has come to rest. */
  atRest(): void {
    for (const run of this.live.all('runs')) this.runAtRest(run)
    for (const task of this.live.all('tasks')) this.taskAtRest(task)
    for (const row of this.openInbox()) this.violated(`left in an inbox: ${JSON.stringify(row)}`)
    for (const slot of this.live.all('slots')) {
      if (slot.in_use !== 0) this.violated(`${slot.in_use} of ${slot.scope} ${slot.key} are in use at the end`)
    }
    for (const group of this.live.all('map_groups')) this.mapAtRest(group)
    for (const table of ['slot_holds', 'task_queue', 'timers', 'held_back', 'run_admissions'] as const) {
      if (this.live.size(table) > 0) {
        this.violated(
          `${this.live.size(table)} rows are left in ${table}: ${JSON.stringify([...this.live.all(table)][0])}`,
        )
      }
    }
  }

  /** What waits for runs that are here. A cancel of a child that nobody had asked for yet waits for one that never comes. */
  openInbox() {
    return [...this.live.all('run_inbox')].filter(({ run_id }) => this.live.get('runs', run_id) !== undefined)
  }

  private runAtRest(run: RunTuple): void {
    const where = `run ${run.id}`
    if (!runHasEnded(run.status) || run.finished_at === null) this.violated(`${where}: is ${run.status} at the end`)
    const told = [...this.live.all('events')].filter(({ key, subject }) => key === run.id && subject === run.id)
    const completed = told.filter(({ topic }) => topic === 'workflow.completed')
    const generations = completed.map(({ data }) => data.generation)
    const expected = Array.from({ length: run.generation }, (_, i) => i + 1)
    if (JSON.stringify(generations) !== JSON.stringify(expected)) {
      this.violated(`${where}: completed in generations ${generations} of ${run.generation}`)
    }
    const last = completed.at(-1)?.data
    if (last && (last.status !== run.status || last.generation !== run.generation)) {
      this.violated(`${where}: is ${run.status}, and was completed as ${last.status}`)
    }
    const updates = told.filter(({ topic }) => topic === 'workflow.updated')
    if (updates.at(-1)?.data.status !== run.status) this.violated(`${where}: the last update says otherwise`)
    updates.forEach((event, i) => {
      if (event.sequence <= (updates[i - 1]?.sequence ?? 0)) this.violated(`${where}: its updates are out of order`)
    })
  }

  /** Every item has one child, and the map's output is theirs. */
  private mapAtRest(group: MapGroupTuple): void {
    const where = `map ${group.task_id}`
    const children = childrenOf(this.live, group)
    const map = this.live.get('tasks', group.task_id)
    if (group.closed_at === null) this.violated(`${where}: is open at the end`)
    if (group.open !== 0) this.violated(`${where}: counts ${group.open} open children at the end`)
    // A rerun of one item has the others from its creation on, also where its map is ended before it comes to them.
    const isCopy = ({ idx, status, token }: TaskTuple) => idx >= group.made && status === 'succeeded' && token === 0
    if (children.filter((child) => !isCopy(child)).some(({ idx }, i) => idx !== i))
      this.violated(`${where}: has children ${children.map(({ idx }) => idx)}`)
    if (map?.status !== 'succeeded') return
    const text = this.live.get('task_payloads', group.task_id)?.output ?? 'null'
    const outputs = children.map(({ id }) => this.live.get('task_payloads', id)?.output ?? 'null')
    if (children.length !== group.total || children.some(({ status }) => status !== 'succeeded')) {
      this.violated(`${where}: succeeded, its children: ${children.map(({ status }) => status)} of ${group.total}`)
    }
    if (text !== `[${outputs.join(',')}]`) this.violated(`${where}: joined ${text}, not ${outputs}`)
  }

  private taskAtRest(task: TaskTuple): void {
    const where = `task ${task.id} (${task.key})`
    if (!taskHasEnded(task.status)) this.violated(`${where}: is ${task.status} at the end`)
    if (this.wasTakenOver(task) && (this.live.get('task_payloads', task.id)?.output ?? null) === null) {
      this.violated(`${where}: was taken over without its output`)
    }
    const told = [...this.live.all('events')].filter(
      ({ subject, topic }) => subject === task.id && topic === 'task.updated',
    )
    const first = told[0]?.sequence ?? 1
    if (first > 2) this.violated(`${where}: its first update has sequence ${first}`)
    told.forEach((event, i) => {
      if (event.sequence !== first + i) this.violated(`${where}: update ${i} has sequence ${event.sequence}`)
    })
    if (told.length > 0 && told.at(-1)?.sequence !== task.rev) this.violated(`${where}: a change was not told`)
    if (told.length > 0 && told.at(-1)?.data.status !== task.status) {
      this.violated(`${where}: is ${task.status}, and was last told to be ${told.at(-1)?.data.status}`)
    }
    if (told.length === 0 && task.rev > 1) this.violated(`${where}: changed and never told`)
  }
}
