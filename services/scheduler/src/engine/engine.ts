import type { Logger } from '@millrace/logger'
import type { NewRun } from '../clients/workflow-client.js'
import type { HeldTask, StoppedTask } from '../db/requeue-tasks.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import { failure } from '../domain/failure.js'
import { type Announce, type Audience, announce, wakeWorkers } from './announce.js'
import { ChildRunRequests } from './child-run-requests.js'
import { Control } from './control.js'
import type { EvaluateElsewhere } from './costly-evaluations.js'
import { DeferredTasks } from './deferred-tasks.js'
import { Dispatcher } from './dispatcher.js'
import { DueWorkPoll } from './due-work.js'
import type { EngineContext } from './engine-context.js'
import type { Environment } from './environment.js'
import { submitEvaluated } from './evaluate-item.js'
import { Inbox } from './inbox.js'
import { itemInput } from './item-units.js'
import { LimitKeeper } from './limits/limit-keeper.js'
import { QueueAligner } from './limits/queue-aligner.js'
import { QueueLimits } from './limits/queue-limits.js'
import { LongPolls } from './long-polls.js'
import { LoopRegistry } from './loop.js'
import { MapItems } from './map-items.js'
import { mapOutcome } from './map-outcome.js'
import { Maps } from './maps.js'
import { type OutputOptions, Outputs } from './outputs.js'
import { type FetchVersion, Plans } from './plans.js'
import { Reaper } from './reaper.js'
import { Reconciler } from './reconciler.js'
import { requeuedCommit } from './requeued-commit.js'
import { findReused, withReused } from './reruns.js'
import { RunStates } from './run-states.js'
import { RunWatch } from './run-watch.js'
import { SessionRegistry } from './session-registry.js'
import { Shard } from './shard.js'
import type { NewRunFacts, ShardItem, ShardOutcome } from './shard-item.js'
import type { Store } from './store.js'
import { Timers } from './timers.js'

export interface EngineOptions {
  readonly store: Store
  readonly emptyRows: EngineContext['emptyRows']
  readonly env: Environment
  readonly logger: Logger
  readonly fetchVersion: FetchVersion
  /** Where large outputs are kept. */
  readonly keepOutputs?: Pick<OutputOptions, 'store' | 'artifacts'>
  /** Where expressions are evaluated that take long. */
  readonly elsewhere: EvaluateElsewhere
  readonly createRun: (run: NewRun, timeoutMs: number) => Promise<{ runId: string }>
  /** Events were written: their readers look now. */
  readonly published: () => void
  /** There may be other replicas: they are told when tasks wait in the queue. */
  readonly hasReplicas?: boolean
  /** As the reaper needs it. */
  readonly caughtUp?: ((signal: AbortSignal) => Promise<void>) | undefined
  readonly leaseMs: number
  readonly shards: number
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

/** The scheduler without its wires: shards that decide, loops that keep time, and the hand-out of leases. */
export class Engine {
  readonly dispatcher: Dispatcher
  readonly polls: LongPolls
  readonly control: Control
  readonly watch = new RunWatch()
  readonly sessions: SessionRegistry
  readonly queueLimits = new QueueLimits()
  private readonly aligner: QueueAligner
  private readonly shards: Shard[]
  private readonly context: EngineContext
  private readonly announce: Announce
  readonly loops = new LoopRegistry()
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
        this.queueLimits.set(this.control.settings.limits())
        this.forgetSessions(this.control.settings.endedSessions())
        this.queued()
        this.aligner.poke()
      },
      onQueued: (limited) => this.queued(limited),
    })
    this.polls = new LongPolls(env, this.control.rules)
    this.plans = new Plans(options.fetchVersion, { max: options.cachedPlans, maxAgeMs: options.planMaxAgeMs, env })
    this.outputs = options.keepOutputs && new Outputs({ ...options.keepOutputs, env, logger })
    this.states = new RunStates(this.plans, options.cachedRuns, this.outputs)
    this.sessions = new SessionRegistry(store, env, leaseMs, options.cachedRuns)
    this.announce = (commit) => announce(audience, commit)
    const context = this.makeContext()
    this.context = context
    this.shards = Array.from({ length: options.shards }, () => new Shard(context, options.maxBatch))
    const submit = (item: ShardItem) => this.submit(item)
    const shared = { store, env, logger, submit, announce: this.announce }
    this.dispatcher = new Dispatcher(context, options.pollMs)
    const maps = new Maps(context)
    const limits = new LimitKeeper(shared)
    this.aligner = new QueueAligner({ ...shared, needed: () => !this.control.settings.isEmpty })
    const children = new ChildRunRequests({ ...shared, createRun: options.createRun })
    const timers = new Timers({ ...shared, callChild: (timerId) => children.make(timerId) })
    const inbox = new Inbox({ ...shared, outcomeOf: (runId, taskId) => mapOutcome(store, runId, taskId) })
    const reconciler = new Reconciler({ ...shared, everyMs: options.reconcileMs })
    const { caughtUp, published, hasReplicas = false } = options
    const reaper = new Reaper({ ...shared, leaseMs, caughtUp, sessionsEnded: (ids) => this.forgetSessions(ids) })
    const { polls, dispatcher, outputs, watch, control, aligner } = this
    const deferred = new DeferredTasks(shared)
    const woken = { timers, reaper, inbox, maps, limits, deferred, dispatcher, control }
    const dueWork = new DueWorkPoll({ ...shared, pollMs: options.pollMs, loops: woken })
    this.loops.add(...control.loops, dueWork, timers, reaper, inbox, maps, reconciler, limits, aligner, deferred)
    this.loops.add(dispatcher, ...(outputs ? [outputs] : []))
    const audience: Audience = {
      ...{ polls, dispatcher, limits, timers, inbox, maps, outputs, watch, control, published, hasReplicas },
    }
  }

  private makeContext(): EngineContext {
    const { store, emptyRows, env, logger, cachedRuns, elsewhere } = this.options
    const { polls, plans, outputs, states, queueLimits } = this
    return {
      ...{
        store,
        emptyRows,
        env,
        logger,
        elsewhere,
        polls,
        plans,
        outputs,
        states,
        queueLimits,
        announce: this.announce,
      },
      mapItems: new MapItems(store, cachedRuns),
      queueDefaults: (projectId, plan) => this.control.settings.defaultsForNewRun(projectId, plan),
      handBack: (leases) => this.handBackFromShard(leases),
    }
  }

  start(): void {
    this.loops.start()
  }

  /** Finishes what was submitted; nothing new may be submitted any more. */
  async stop(): Promise<void> {
    await this.loops.stop()
    await Promise.all(this.shards.map((shard) => shard.close()))
    await this.control.close()
  }

  submit(item: ShardItem): Promise<ShardOutcome> {
    const shard = this.shards[shardOf(item.runId, this.shards.length)]
    if (!shard) throw new Error('the engine has no shards')
    return submitEvaluated(this.context, item, (next) => shard.submit(next))
  }

  async createRun(newRun: NewRunFacts): Promise<ShardOutcome> {
    const { runId, hold, delayMs } = newRun
    if (!newRun.origin?.rerun) return this.submit({ runId, newRun, command: { kind: 'start', hold, delayMs } })
    const found = await findReused(this.options.store, this.plans, this.outputs, newRun)
    const command = { kind: 'start' as const, hold, delayMs, reused: found.reused }
    return this.submit({ runId, newRun: withReused(newRun, found), command })
  }

  /** Cancels a run, or keeps the cancel for a run that has not arrived yet. */
  async cancel(runId: string, reason: string): Promise<ShardOutcome> {
    const outcome = await this.submit({ runId, command: { kind: 'cancel', reason } })
    if (outcome !== 'absent') return outcome
    await this.options.store.putInInbox(runId, { kind: 'cancel', reason }, `cancel:${runId}`)
    // It may have been created meanwhile, before its inbox had anything to show.
    return this.submit({ runId, command: { kind: 'cancel', reason } })
  }

  /** What a map item would be given if it were tried now; undefined when that is the same for all. */
  itemInput(taskId: string): Promise<string | undefined> {
    return itemInput(this.context, taskId)
  }

  async planOf(versionId: string): Promise<EnginePlan> {
    return this.plans.get(versionId)
  }

  /** Pauses or resumes a run, or keeps that for a run that has not arrived yet. Kept commands are applied in order. */
  async pauseOrResume(runId: string, kind: 'pause' | 'resume'): Promise<ShardOutcome> {
    const outcome = await this.submit({ runId, command: { kind } })
    if (outcome !== 'absent') return outcome
    await this.options.store.putInInbox(runId, { kind }, `${kind}:${runId}:${this.options.env.wallMs()}`)
    return this.submit({ runId, command: { kind } })
  }

  /** Gives a signal to a run, or keeps it for a run that has not arrived yet. */
  async signal(runId: string, signal: { signalId: string; name: string; payload: string }): Promise<ShardOutcome> {
    const command = { kind: 'signal' as const, ...signal }
    const outcome = await this.submit({ runId, command })
    if (outcome !== 'absent') return outcome
    await this.options.store.putInInbox(runId, command, `signal:${runId}:${signal.signalId}`)
    return this.submit({ runId, command })
  }

  /** Something stands in the queue that did not go through here. */
  queued(limited = false): void {
    wakeWorkers(this, limited)
  }

  /**
   * Gives leases back, all for a while or none. Gives the ids of those that are over by it: their tasks stand in the queue
   * again, or have ended with their run that is being cancelled.
   */
  async handBack(held: readonly HeldTask[]): Promise<ReadonlySet<string>> {
    const { requeued, stopped } = await this.requeueHeld(held)
    const ended = await Promise.all(stopped.map((task) => this.endStopped(held, task)))
    return new Set([...requeued, ...ended.flatMap((leaseId) => leaseId ?? [])])
  }

  /** A shard's batch must not wait for what comes after it in the same shard. */
  private async handBackFromShard(held: readonly HeldTask[]): Promise<void> {
    const { stopped } = await this.requeueHeld(held)
    for (const task of stopped) void this.endStopped(held, task)
  }

  /** The ids of leases whose tasks stand in the queue again, and the tasks that are to be ended instead. */
  private async requeueHeld(held: readonly HeldTask[]) {
    const requeued = await this.options.store.handBackTasks(held)
    const { lost, stopped } = requeued
    if (lost.length > 0) this.announce(requeuedCommit(requeued, held[0]?.wait ? 'circuit_open' : 'handed_back'))
    const over = new Set<string>()
    for (const { given, project_id: projectId, queue } of lost) {
      const lease = held[given ?? -1]
      if (lease) over.add(lease.leaseId)
      if (lease?.keepsPlace) this.polls.returned(projectId, queue)
    }
    return { requeued: over, stopped }
  }

  /**
   * Fenced, as what goes back to the queue: its holder has given it up. Gives its lease if it is over by this. Never fails:
   * what cannot be ended now is ended with its run, after the time that a cancelled task is given.
   */
  private async endStopped(held: readonly HeldTask[], stopped: StoppedTask): Promise<string | undefined> {
    const given = held[stopped.given]
    if (!given) return undefined
    const { taskId, token, leaseId } = given
    const error = failure('cancelled', 'its run was cancelled before the task went on', 'cancelled')
    const random = this.options.env.random()
    const command = { kind: 'expire', taskId, lease: { token, leaseId }, error, random, final: false } as const
    try {
      return (await this.submit({ runId: stopped.run_id, command })) === 'applied' ? leaseId : undefined
    } catch (error) {
      this.options.logger.warn({ err: error, taskId }, 'a task of a cancelled run could not be ended')
      return undefined
    }
  }

  /**
   * Keeps a session alive. Gives the leases it named that are not its own any more; a lease that two heartbeats in a row
   * did not name was never received, and goes back to the queue.
   */
  async heartbeat(sessionId: string, named: ReadonlySet<string>, requestedState = ''): Promise<string[] | null> {
    const { store, leaseMs } = this.options
    if (!(await store.extendSession(sessionId, leaseMs))) return null
    if (requestedState !== '') await this.applyRequestedState(sessionId, requestedState)
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
      await this.handBack(lost.map(heldOf))
    }
    const own = new Set(held.map((row) => row.lease_id))
    return [...named].filter((leaseId) => !own.has(leaseId))
  }

  /** A worker says that it leaves: what it still holds goes back to the queue, no attempt used up. */
  async endSession(sessionId: string): Promise<void> {
    const { store } = this.options
    // Gets nothing any more; not ended yet, or the reaper would count what it holds as lost.
    await store.setSessionState(sessionId, 'draining')
    const held = await store.listHeld(sessionId)
    if (held.length > 0) {
      await this.handBack(held.map(heldOf))
    }
    await store.endSession(sessionId)
    this.forgetSessions([sessionId])
    await this.control.changed()
  }

  /** The worker's own control port was asked for this: the row is the one place that says how a worker stands. */
  private async applyRequestedState(sessionId: string, requestedState: string): Promise<void> {
    const state = requestableStates.find((known) => known === requestedState)
    if (!state) return
    await this.options.store.setSessionState(sessionId, state)
    await this.control.changed()
  }

  private forgetSessions(ids: readonly string[]): void {
    this.sessions.forget(ids)
    for (const id of ids) this.unnamed.delete(id)
    this.polls.forget(new Set(ids))
  }
}

const heldOf = (row: { task_id: string; lease_id: string; token: number }): HeldTask => ({
  ...{ taskId: row.task_id, leaseId: row.lease_id, token: row.token, keepsPlace: true },
})

const requestableStates = ['active', 'paused', 'draining'] as const

/** Run ids end in random digits; their beginning is the time. */
function shardOf(runId: string, shards: number): number {
  return Number.parseInt(runId.slice(-6), 16) % shards || 0
}
