import type { Definition } from '@millrace/definition'
import { unavailable } from '@millrace/errors'
import type { CloudEvent } from '@millrace/events'
import type { NewRun } from '../../src/clients/workflow-client.js'
import { runHasEnded } from '../../src/domain/run-state.js'
import { CHILDREN, childIndex, definitionOf, projects, queues } from './definitions.js'
import { chooseFaults, type Faults, noFaults } from './faults.js'
import { Invariants } from './invariants.js'
import type { RunTuple } from './model/tables.js'
import { Pauses } from './pauses.js'
import { Replica } from './replica.js'
import { type Executed, SimDatabase } from './sim-database.js'
import { Users } from './users.js'
import { SimWorker } from './worker.js'
import { World } from './world.js'

export interface SimulationOptions {
  readonly seed: number
  readonly tracing?: boolean
  /** Instead of a mixture that the seed chooses. */
  readonly faults?: Faults
  /** Told of every statement that took effect. */
  readonly executed?: (statement: Executed) => void
  /** Breaks something on purpose, to see that it is found. */
  readonly tamper?: (simulation: Simulation) => void
}

export interface SimulationResult {
  readonly seed: number
  readonly faultFree: boolean
  readonly violations: readonly string[]
  readonly traceHash: string
  readonly steps: number
  readonly virtualMs: number
  readonly counts: Readonly<Record<string, number>>
  readonly trace: readonly string[]
}

interface EventMore extends Partial<StartedEvent['data']> {
  definition?: number | Definition
}

type StartedEvent = CloudEvent<'workflow.started'>

/** How many different definitions there are to choose from. */
const DEFINITIONS = 400
/** Nothing may stir in this time. */
const QUIET_MS = 300
/** With all faults stopped, everything has ended by then. */
const PATIENCE_MS = 120_000

const isFault = (error: unknown): boolean => {
  const { code, retryable } = (error ?? {}) as { code?: unknown; retryable?: unknown }
  return code === 'ECONNRESET' || retryable === true
}

/** Two or three whole schedulers, their workers, users, bus, database and clocks, in one process under one seed. */
export class Simulation {
  readonly world: World
  readonly database: SimDatabase
  readonly invariants: Invariants
  readonly definitions = new Map<string, Definition>()
  readonly runIds: string[] = []
  readonly replicas: Replica[] = []
  private readonly workers: SimWorker[] = []
  private readonly chosen: { faults: Faults; faultFree: boolean }
  readonly users: Users
  private calm = false
  private undelivered = 0
  private names = 0
  /** Run ids by dedupe key. */
  private readonly created = new Map<string, string>()

  constructor(private readonly options: SimulationOptions) {
    this.world = new World(options.seed, options.tracing ?? false)
    const { world } = this
    this.database = new SimDatabase(world.chance, () => world.databaseMs)
    this.database.executed = options.executed ?? null
    const pauses = new Pauses(world, () => this.chosen.faultFree)
    this.invariants = new Invariants(this.database.live, pauses)
    this.watchStatuses()
    this.chosen = options.faults ? { faults: options.faults, faultFree: false } : chooseFaults(world.chance)
    this.users = new Users(this)
  }

  /** All that is left is to come to rest. */
  get isCalm(): boolean {
    return this.calm
  }

  faults(): Faults {
    return this.calm ? noFaults : this.chosen.faults
  }

  anyReplica(): Replica {
    return this.world.chance.pick(this.replicas)
  }

  /** In one seed of three. Not by chance: other seeds are as they were without. */
  get leasesAhead(): boolean {
    return this.options.seed % 3 === 0
  }

  count(what: string): void {
    this.invariants.count(what)
  }

  answered(result: { leaseId?: string; outcome?: unknown }, verdict: string): void {
    if (verdict !== 'VERDICT_ACCEPTED') this.invariants.count('stale')
    else if (result.outcome !== 'OUTCOME_HANDED_BACK') this.invariants.accepted(result.leaseId ?? '')
  }

  misbehaved(error: unknown): void {
    this.invariants.violated(`a worker was answered: ${error instanceof Error ? error.stack : String(error)}`)
  }

  complained(level: 'warn' | 'error', about: unknown, message: string): void {
    const { err, what } = (about ?? {}) as { err?: unknown; what?: string }
    this.world.note(`${level}: ${message} ${what ?? ''} ${err instanceof Error ? err.message : ''}`)
    this.invariants.count(`${level}: ${message} ${what ?? ''}`.trim())
    if (level === 'error' && !isFault(err)) {
      this.invariants.violated(`${message}: ${err instanceof Error ? (err.stack ?? err.message) : String(err)}`)
    }
    if (this.chosen.faultFree && message.startsWith('the reconciler found')) {
      this.invariants.violated(`nothing went wrong, and yet ${message}: ${what}`)
    }
  }

  async run(): Promise<SimulationResult> {
    const { world } = this
    const { chance } = world
    const replicas = chance.bool(0.25) ? 3 : 2
    for (let i = 0; i < replicas; i += 1) this.replicas.push(new Replica(this.name('s'), this))
    for (let i = chance.int(1, 3); i > 0; i -= 1) this.workers.push(new SimWorker(this.name('w'), this))
    if (chance.bool(0.2))
      this.users.setQueue(chance.pick(projects), chance.pick(queues), { concurrency: chance.int(1, 2) })
    for (let i = chance.int(1, 3); i > 0; i -= 1) this.startRun()
    this.options.tamper?.(this)
    const activeMs = chance.between(800, 4500)
    this.trouble()
    this.users.begin()
    const broken = () => this.invariants.violations.length > 0
    await world.run(broken, activeMs)
    if (!broken()) await this.settle(broken)
    return this.result()
  }

  /** Stops all faults, and sees that everything comes to its end. */
  private async settle(broken: () => boolean): Promise<void> {
    const { world } = this
    world.note('all faults stop')
    this.calm = true
    for (const [i, replica] of this.replicas.entries()) {
      replica.frozenUntil = 0
      if (!replica.alive) this.replicas[i] = new Replica(this.name('s'), this)
    }
    for (const worker of this.workers) worker.frozenUntil = 0
    if (!this.workers.some(({ alive }) => alive)) this.workers.push(new SimWorker(this.name('w'), this))
    this.users.takeCare()
    const until = world.now + PATIENCE_MS
    // A message that is still under way may stir up what seemed at rest.
    for (let quietMs = 0; quietMs < QUIET_MS && !broken() && world.now < until; ) {
      const since = world.now
      await world.run(() => broken() || !this.isAtRest(), since + QUIET_MS)
      quietMs = this.isAtRest() ? world.now - since : 0
      if (quietMs === 0) await world.run(() => broken() || this.isAtRest(), until)
    }
    if (broken()) return
    for (const id of this.runIds)
      if (!this.database.live.get('runs', id)) this.invariants.violated(`run ${id}: was never created`)
    this.invariants.atRest()
  }

  private isAtRest(): boolean {
    const { live } = this.database
    if (this.users.waiting || this.undelivered > 0 || live.size('runs') < this.runIds.length) return false
    for (const run of live.all('runs')) if (!runHasEnded(run.status)) return false
    return (
      live.size('timers') === 0 &&
      live.size('run_inbox') === 0 &&
      live.size('task_queue') === 0 &&
      live.size('held_back') === 0
    )
  }

  private result(): SimulationResult {
    const { world, invariants, options, chosen } = this
    return {
      seed: options.seed,
      faultFree: chosen.faultFree,
      violations: invariants.violations,
      traceHash: world.traceHash,
      steps: world.steps,
      virtualMs: world.now,
      counts: invariants.counts,
      trace: world.trace ?? [],
    }
  }

  private name(kind: string): string {
    this.names += 1
    return `${kind}${this.names}`
  }

  private watchStatuses(): void {
    const { live } = this.database
    const check = live.watcher
    live.watcher = (table, before, after) => {
      if (table === 'tasks' || table === 'runs') {
        const row = after as { id: string; status: string; rev: number } | undefined
        this.world.note(
          `${table} ${row?.id.slice(-6)} ${(before as typeof row)?.status ?? '–'} → ${row?.status} @${row?.rev}`,
        )
      }
      check?.(table, before, after)
    }
  }

  /** One replica and the id of a run that it does not know yet, for a scene that a test sets itself. */
  addReplica(): { replica: Replica; runId: string } {
    const replica = new Replica(this.name('s'), this)
    this.replicas.push(replica)
    return { replica, runId: this.world.chance.uuid() }
  }

  startedEvent(runId: string, more: EventMore = {}): StartedEvent {
    const { chance, wallMs } = this.world
    const { definition = chance.int(CHILDREN, DEFINITIONS - 1), ...rest } = more
    const versionId = chance.uuid()
    this.definitions.set(versionId, typeof definition === 'number' ? definitionOf(definition) : definition)
    const data = {
      runId,
      projectId: chance.pick(projects),
      workflowId: '',
      workflow: 'simulated',
      version: 1,
      versionId,
      inputJson: JSON.stringify({ on: chance.bool(0.5) }),
      priority: chance.int(1, 9),
      labels: {},
      createdAt: new Date(wallMs).toISOString(),
      requestedBy: 'user:sim',
      hold: false,
      startAt: '',
      ...rest,
    }
    return { data } as unknown as StartedEvent
  }

  /** The request of a run, and its event on a bus that repeats, delays and mixes up. */
  private startRun(): void {
    const { world } = this
    const { chance } = world
    const runId = chance.uuid()
    const startAt = chance.bool(0.1) ? new Date(world.wallMs + chance.between(0, 3000)).toISOString() : ''
    this.publish(this.startedEvent(runId, { hold: chance.bool(0.1), startAt }))
  }

  /** Another run of the same version, that begins again at `from`, or at one item of the map `from`. */
  rerun({ id, project_id, version_id, input }: RunTuple, from: string, index: number): void {
    const definition = this.definitions.get(version_id)
    if (!definition) return
    const rerun = { runId: id, from, index }
    const same = { projectId: project_id, definition, ...(input === null ? {} : { inputJson: input }) }
    this.publish(this.startedEvent(this.world.chance.uuid(), { ...same, rerun }))
  }

  /** The workflow service: the same key always answers with the same run. */
  async createRun(asker: Replica, run: NewRun): Promise<{ runId: string }> {
    const { world, chosen } = this
    const lost = () => !this.calm && world.chance.bool(chosen.faults.loseMessage)
    await world.sleep(world.chance.between(0.5, 5), asker, `${asker.name} asks for a child`)
    if (lost()) throw unavailable('workflow_unavailable', 'the call was lost')
    const runId = run.runId ?? this.created.get(run.dedupeKey) ?? world.chance.uuid()
    if (!this.created.has(run.dedupeKey)) {
      this.created.set(run.dedupeKey, runId)
      const { parent = null, projectId, priority = 5, workflow } = run
      const definition = childIndex(workflow)
      this.publish(this.startedEvent(runId, { parent, projectId, priority, workflow, definition }))
    }
    await world.sleep(world.chance.between(0.5, 5), asker, '')
    if (lost()) throw unavailable('workflow_unavailable', 'the answer was lost')
    return { runId }
  }

  hint(payload: string): void {
    for (const replica of this.replicas) {
      if (this.world.chance.bool(this.faults().loseMessage)) continue
      this.world.after(this.world.chance.between(0.2, 5), replica, '', () => replica.engine.control.hear(payload))
    }
  }

  private publish(event: StartedEvent): void {
    const { world } = this
    const { chance } = world
    const { runId } = event.data
    this.runIds.push(runId)
    const faults = this.faults()
    this.undelivered += 1
    // Many are given to a replica before their event comes, and some of those in vain.
    const digit = Number.parseInt(runId.slice(-1), 16)
    if (digit < 10) {
      world.after(digit / 2, null, `${runId.slice(-6)} is given`, () => {
        const replica = this.anyReplica()
        if (replica.alive) replica.takeRun(event).catch(() => undefined)
      })
    }
    const late = chance.bool(faults.lateStart) ? chance.between(0, 6000) : chance.between(0, 500)
    world.after(late, null, `started ${runId.slice(-6)}`, () => this.deliver(event, true))
    if (chance.bool(faults.duplicateStart)) {
      world.after(chance.between(0, 8000), null, `started ${runId.slice(-6)} again`, () => this.deliver(event, false))
    }
  }

  /** The offset moves only past what was applied: else the event comes again. */
  private deliver(event: StartedEvent, counts: boolean): void {
    const { world } = this
    const replica = this.anyReplica()
    let settled = false
    const again = () => {
      if (settled) return
      settled = true
      world.after(world.chance.between(20, 300), null, 'redelivered', () => this.deliver(event, counts))
    }
    const done = () => {
      if (!settled && counts) this.undelivered -= 1
      settled = true
    }
    world.after(5000, null, '', again)
    if (!replica.alive) again()
    else
      replica.onWorkflowStarted([event]).then(done, () => {
        again()
      })
  }

  /** Crashes, freezes and jumps of the clock, each at its own rate. */
  private trouble(): void {
    const { world } = this
    const { chance } = world
    const every = (rate: number, label: string, happen: () => void) => {
      if (rate <= 0) return
      const next = () =>
        world.after((-Math.log(1 - chance.real()) / rate) * 1000, null, '', () => {
          if (this.calm) return
          world.note(label)
          this.invariants.count(label)
          happen()
          next()
        })
      next()
    }
    const { faults } = this.chosen
    every(faults.replicaCrash, 'a replica crashes', () => this.crashReplica())
    every(faults.replicaFreeze, 'a replica freezes', () => this.freeze(this.replicas))
    every(faults.workerCrash, 'a worker crashes', () => this.crashWorker())
    every(faults.workerFreeze, 'a worker freezes', () => this.freeze(this.workers))
    every(faults.clockJump, 'the clock jumps', () => {
      world.databaseSkew += Math.round(chance.bool(0.3) ? -chance.between(0, 2000) : chance.between(0, 15_000))
    })
  }

  private freeze(actors: readonly { frozenUntil: number }[]): void {
    const { world } = this
    if (actors.length === 0) return
    world.chance.pick(actors).frozenUntil = world.now + world.chance.skewed(8000)
  }

  /** Memory is gone; the process comes back after a while. */
  private crashReplica(): void {
    const { world } = this
    const index = world.chance.int(0, this.replicas.length - 1)
    const replica = this.replicas[index]
    if (!replica?.alive) return
    replica.alive = false
    world.after(world.chance.skewed(6000), null, 'a replica comes back', () => {
      if (this.replicas[index] === replica) this.replicas[index] = new Replica(this.name('s'), this)
    })
  }

  private crashWorker(): void {
    const { world } = this
    const worker = world.chance.pick(this.workers)
    if (!worker.alive) return
    worker.alive = false
    world.after(world.chance.skewed(6000), null, 'a worker comes back', () => {
      this.workers[this.workers.indexOf(worker)] = new SimWorker(this.name('w'), this)
    })
  }
}

export const simulate = (options: SimulationOptions): Promise<SimulationResult> => new Simulation(options).run()
