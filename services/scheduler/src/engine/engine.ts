import type { Logger } from '@millrace/logger'
import type { NewRun } from '../clients/workflow-client.js'
import type { HeldTask } from '../db/requeue-tasks.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import { Calls } from './calls.js'
import { ChildCalls } from './child-calls.js'
import { childInput, isAboutChild } from './child-commands.js'
import { ChildRound } from './child-round.js'
import { Control } from './control.js'
import { Dispatcher } from './dispatcher.js'
import type { AfterWrite, EngineContext, QueuedTask } from './engine-context.js'
import type { Environment } from './environment.js'
import { Inbox } from './inbox.js'
import { Lane } from './lane.js'
import type { BirthFacts, LaneItem, LaneOutcome } from './lane-item.js'
import { LimitKeeper } from './limits/limit-keeper.js'
import { QueueAligner } from './limits/queue-aligner.js'
import { QueueLimits } from './limits/queue-limits.js'
import { MapItems } from './map-items.js'
import { mapOutcome } from './map-outcome.js'
import { Maps } from './maps.js'
import { leaseMetrics } from './metrics.js'
import { type OutputOptions, Outputs } from './outputs.js'
import { type FetchVersion, Plans } from './plans.js'
import { Reaper } from './reaper.js'
import { Reconciler } from './reconciler.js'
import { findReused, withReused } from './reruns.js'
import { RunStates } from './run-states.js'
import { RunWatch } from './run-watch.js'
import { SessionRegistry } from './session-registry.js'
import type { Store } from './store.js'
import { Timers } from './timers.js'

export interface EngineOptions {
  readonly store: Store
  readonly env: Environment
  readonly logger: Logger
  readonly fetchVersion: FetchVersion
  /** Where large outputs are kept. */
  readonly keepOutputs?: Pick<OutputOptions, 'store' | 'artifacts'>
  readonly createRun: (run: NewRun, timeoutMs: number) => Promise<{ runId: string }>
  /** Events were written: ring for their readers. */
  readonly told: () => void
  /** Tasks wait in the queue that nobody here waited for: ring for workers of other replicas. */
  readonly scheduled?: ((tasks: readonly QueuedTask[]) => void) | undefined
  /** As the reaper needs it. */
  readonly caughtUp?: ((signal: AbortSignal) => Promise<void>) | undefined
  readonly leaseMs: number
  readonly lanes: number
  readonly maxBatch: number
  /** How much is remembered of what was seen lately: runs, and as many sessions and groups of maps. */
  readonly cachedRuns: number
  readonly cachedPlans: number
  readonly planMaxAgeMs: number
  readonly reconcileMs: number
  /** Of queues that have no profile of their own: ready tasks go straight to workers that wait. */
  readonly syncMatch: boolean
  /** How often waiting workers look into the queue without having been told. */
  readonly pollMs: number
}

/** The scheduler without its wires: lanes that decide, loops that keep time, and the hand-out of leases. */
export class Engine {
  readonly dispatcher: Dispatcher
  readonly calls: Calls
  readonly control: Control
  readonly watch = new RunWatch()
  readonly sessions: SessionRegistry
  readonly queueLimits = new QueueLimits()
  private readonly limits: LimitKeeper
  private readonly aligner: QueueAligner
  private readonly lanes: Lane[]
  private readonly childLanes: Lane[]
  private readonly maps: Maps
  private readonly context: EngineContext
  private readonly timers: Timers
  private readonly reaper: Reaper
  private readonly inbox: Inbox
  private readonly reconciler: Reconciler
  private readonly states: RunStates
  private readonly plans: Plans
  readonly outputs: Outputs | undefined
  /** Leases a live session did not name, by lease id: how many heartbeats in a row. */
  private readonly unnamed = new Map<string, Map<string, number>>()

  constructor(private readonly options: EngineOptions) {
    const { store, env, logger, leaseMs } = options
    this.control = new Control({
      store,
      env,
      logger,
      syncMatch: options.syncMatch,
      onChange: () => {
        this.queueLimits.set(this.control.board.limits())
        this.calls.queued()
        this.dispatcher.poke()
        this.aligner.poke()
      },
    })
    this.calls = new Calls(env, this.control.rules)
    this.plans = new Plans(options.fetchVersion, { max: options.cachedPlans, maxAgeMs: options.planMaxAgeMs, env })
    this.outputs = options.keepOutputs && new Outputs({ ...options.keepOutputs, env, logger })
    this.states = new RunStates(this.plans, options.cachedRuns, this.outputs)
    this.sessions = new SessionRegistry(store, env, leaseMs, options.cachedRuns)
    const submit = (item: LaneItem) => this.submit(item)
    const after = this.afterWrites()
    const context: EngineContext = {
      store,
      env,
      logger,
      calls: this.calls,
      plans: this.plans,
      outputs: this.outputs,
      states: this.states,
      mapItems: new MapItems(store, options.cachedRuns),
      queueLimits: this.queueLimits,
      after,
      queueDefaults: (projectId, plan) => this.control.board.defaultsAtBirth(projectId, plan),
      handBack: (leases) => this.handBack(leases),
    }
    this.context = context
    this.dispatcher = new Dispatcher(context, options.pollMs)
    this.maps = new Maps(context)
    this.limits = new LimitKeeper({ store, env, after, logger })
    this.aligner = new QueueAligner({ store, env, after, logger, needed: () => !this.control.board.isEmpty })
    this.lanes = Array.from({ length: options.lanes }, () => new Lane(context, options.maxBatch))
    const children = new ChildCalls({ store, env, logger, submit, createRun: options.createRun })
    const callChild = (timerId: number) => children.make(timerId)
    this.timers = new Timers({ store, env, submit, callChild, logger })
    this.childLanes = Array.from(
      { length: options.lanes },
      () => new Lane(context, options.maxBatch, (outcomes) => new ChildRound(context, outcomes)),
    )
    this.inbox = new Inbox({
      store,
      env,
      submit,
      logger,
      outcomeOf: (runId, taskId) => mapOutcome(store, runId, taskId),
    })
    this.reconciler = new Reconciler({ store, env, everyMs: options.reconcileMs, submit, after, logger })
    const sessionsEnded = (ids: readonly string[]) => this.forgetSessions(ids)
    const { caughtUp } = options
    this.reaper = new Reaper({ store, env, leaseMs, submit, after, sessionsEnded, caughtUp, logger })
  }

  private afterWrites(): AfterWrite {
    return {
      changed: (runIds) => this.watch.changed(runIds),
      queued: () => {
        this.calls.queued()
        this.dispatcher.poke()
      },
      scheduled: (tasks) => this.options.scheduled?.(tasks()),
      queuedLimited: () => {
        this.calls.queuedLimited()
        this.dispatcher.poke()
      },
      freed: (keys) => this.limits.freed(keys),
      parked: (keys) => this.limits.parked(keys),
      timersSet: () => this.timers.poke(),
      inbox: (runIds) => void this.inbox.fetch(runIds),
      maps: () => this.maps.poke(),
      stop: (requests) => this.control.stopTasks(requests),
      outputs: () => this.outputs?.poke(),
      told: this.options.told,
    }
  }

  start(): void {
    this.control.start()
    this.outputs?.start()
    this.timers.start()
    this.reaper.start()
    this.inbox.start()
    this.maps.start()
    this.reconciler.start()
    this.limits.start()
    this.aligner.start()
    this.dispatcher.start()
  }

  /** Finishes what was submitted; nothing new may be submitted any more. */
  async stop(): Promise<void> {
    await Promise.all([
      this.outputs?.stop(),
      this.timers.stop(),
      this.reaper.stop(),
      this.inbox.stop(),
      this.maps.stop(),
      this.reconciler.stop(),
      this.limits.stop(),
      this.aligner.stop(),
      this.dispatcher.stop(),
    ])
    await Promise.all([...this.childLanes, ...this.lanes].map((lane) => lane.close()))
    await this.control.stop()
  }

  submit(item: LaneItem): Promise<LaneOutcome> {
    const lanes = isAboutChild(item) ? this.childLanes : this.lanes
    const lane = lanes[laneOf(item.runId, lanes.length)]
    if (!lane) throw new Error('the engine has no lanes')
    return lane.submit(item)
  }

  async bear(birth: BirthFacts): Promise<LaneOutcome> {
    const { runId, hold, delayMs } = birth
    if (!birth.origin?.rerun) return this.submit({ runId, birth, command: { kind: 'start', hold, delayMs } })
    const found = await findReused(this.options.store, this.plans, this.outputs, birth)
    const command = { kind: 'start' as const, hold, delayMs, reused: found.reused }
    return this.submit({ runId, birth: withReused(birth, found), command })
  }

  /** Cancels a run, or keeps the cancel for a run that has not arrived yet. */
  async cancel(runId: string, reason: string): Promise<LaneOutcome> {
    const outcome = await this.submit({ runId, command: { kind: 'cancel', reason } })
    if (outcome !== 'absent') return outcome
    await this.options.store.putInInbox(runId, { kind: 'cancel', reason }, `cancel:${runId}`)
    // It may have been born meanwhile, before its inbox had anything to show.
    return this.submit({ runId, command: { kind: 'cancel', reason } })
  }

  /** What a child of a map would be given if it were tried now; undefined when that is the same for all. */
  childInput(taskId: string): Promise<string | undefined> {
    return childInput(this.context, taskId)
  }

  async planOf(versionId: string): Promise<EnginePlan> {
    return this.plans.get(versionId)
  }

  /** Pauses or resumes a run, or keeps that for a run that has not arrived yet. Kept commands are applied in order. */
  async pauseOrResume(runId: string, kind: 'pause' | 'resume'): Promise<LaneOutcome> {
    const outcome = await this.submit({ runId, command: { kind } })
    if (outcome !== 'absent') return outcome
    await this.options.store.putInInbox(runId, { kind }, `${kind}:${runId}:${this.options.env.wallMs()}`)
    return this.submit({ runId, command: { kind } })
  }

  /** Gives a signal to a run, or keeps it for a run that has not arrived yet. */
  async signal(runId: string, signal: { signalId: string; name: string; payload: string }): Promise<LaneOutcome> {
    const command = { kind: 'signal' as const, ...signal }
    const outcome = await this.submit({ runId, command })
    if (outcome !== 'absent') return outcome
    await this.options.store.putInInbox(runId, command, `signal:${runId}:${signal.signalId}`)
    return this.submit({ runId, command })
  }

  /** Something stands in the queue that did not go through here. */
  queued(): void {
    this.calls.queued()
    this.dispatcher.poke()
  }

  /** How many of them went back. */
  async handBack(held: readonly HeldTask[]): Promise<number> {
    const { lost, freed } = await this.options.store.handBackTasks(held)
    const runIds = lost.map((task) => task.run_id)
    if (runIds.length === 0) return 0
    leaseMetrics.requeued.inc({ why: held[0]?.wait ? 'circuit_open' : 'handed_back' }, runIds.length)
    this.queued()
    leaseMetrics.requeued.inc({ why: 'handed_back' }, runIds.length)
    if (freed.length > 0) {
      this.limits.freed(freed)
      this.calls.queuedLimited()
    } else this.calls.queued()
    this.dispatcher.poke()
    this.watch.changed(runIds)
    this.options.told()
    return runIds.length
  }

  /**
   * Keeps a session alive. Gives the leases it named that are not its own any more; a lease that two heartbeats in a row
   * did not name was never received, and goes back to the queue.
   */
  async heartbeat(sessionId: string, named: ReadonlySet<string>, wish = ''): Promise<string[] | null> {
    const { store, leaseMs } = this.options
    if (!(await store.extendSession(sessionId, leaseMs))) return null
    if (wish !== '') await this.grantWish(sessionId, wish)
    const held = await store.listHeld(sessionId)
    const earlier = this.unnamed.get(sessionId)
    const missing = new Map<string, number>()
    for (const { lease_id: leaseId } of held) {
      if (!named.has(leaseId)) missing.set(leaseId, (earlier?.get(leaseId) ?? 0) + 1)
    }
    if (missing.size > 0) this.unnamed.set(sessionId, missing)
    else this.unnamed.delete(sessionId)
    const lost = held.filter(({ lease_id: leaseId }) => (missing.get(leaseId) ?? 0) > 2)
    if (lost.length > 0) {
      await this.handBack(lost.map((row) => ({ taskId: row.task_id, leaseId: row.lease_id, token: row.token })))
    }
    const own = new Set(held.map((row) => row.lease_id))
    return [...named].filter((leaseId) => !own.has(leaseId))
  }

  /** A worker says good-bye: what it still holds goes back to the queue, no attempt used up. */
  async endSession(sessionId: string): Promise<void> {
    const { store } = this.options
    // Gets nothing any more; not ended yet, or the reaper would count what it holds as lost.
    await store.setSessionState(sessionId, 'draining')
    const held = await store.listHeld(sessionId)
    if (held.length > 0) {
      await this.handBack(held.map((row) => ({ taskId: row.task_id, leaseId: row.lease_id, token: row.token })))
    }
    await store.endSession(sessionId)
    this.forgetSessions([sessionId])
  }

  /** The worker's own control port was asked for this: the row is the one place that says how a worker stands. */
  private async grantWish(sessionId: string, wish: string): Promise<void> {
    const state = wishes.find((known) => known === wish)
    if (!state) return
    await this.options.store.setSessionState(sessionId, state)
    await this.control.changed()
  }

  private forgetSessions(ids: readonly string[]): void {
    this.sessions.forget(ids)
    for (const id of ids) {
      this.unnamed.delete(id)
      this.calls.forget(id)
    }
  }
}

const wishes = ['active', 'paused', 'draining'] as const

/** Run ids end in random digits; their beginning is the time. */
function laneOf(runId: string, lanes: number): number {
  return Number.parseInt(runId.slice(-6), 16) % lanes || 0
}
