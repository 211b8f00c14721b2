import { compilePlan, type Definition } from '@millrace/definition'
import { unavailable } from '@millrace/errors'
import type { NewRun } from '../../src/clients/workflow-client.js'
import { createRuns, onWorkflowStarted, type Started } from '../../src/consumers/workflow-started.js'
import type { AppContext } from '../../src/context.js'
import { emptyRows } from '../../src/db/batch/clauses.js'
import { toEnginePlan } from '../../src/domain/engine-plan.js'
import { evaluateAhead } from '../../src/domain/evaluate-ahead.js'
import type { EvaluateElsewhere } from '../../src/engine/costly-evaluations.js'
import { Engine } from '../../src/engine/engine.js'
import type { Environment } from '../../src/engine/environment.js'
import { LeaseReplies } from '../../src/engine/lease-replies.js'
import { NewRuns } from '../../src/engine/new-runs.js'
import { SecretValues } from '../../src/engine/secret-values.js'
import { deregister } from '../../src/rpc/deregister.js'
import { heartbeat } from '../../src/rpc/heartbeat.js'
import { leaseTasks } from '../../src/rpc/lease-tasks.js'
import { register } from '../../src/rpc/register.js'
import { reportResults } from '../../src/rpc/report-results.js'
import type { Faults } from './faults.js'
import type { SimDatabase } from './sim-database.js'
import { SimConnection } from './sim-store.js'
import type { Actor, World } from './world.js'

export const LEASE_MS = 2000

/** What the simulation shares with all its replicas. */
export interface ReplicaWorld {
  readonly world: World
  readonly database: SimDatabase
  readonly definitions: ReadonlyMap<string, Definition>
  faults(): Faults
  /** Asks for a run, as the workflow service is asked. */
  createRun(asker: Replica, run: NewRun): Promise<{ runId: string }>
  /** A word to all replicas, which may be lost. */
  hint(payload: string): void
  /** The engine says that something is wrong. */
  complained(level: 'warn' | 'error', about: unknown, message: string): void
}

function environmentOf({ world }: ReplicaWorld, actor: Actor): Environment {
  const { chance } = world
  const newId = () => {
    const time = Math.floor(world.wallMs).toString(16).padStart(12, '0')
    const rest = chance.hex(19)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-b${rest.slice(3, 6)}-${rest.slice(6, 18)}`
  }
  return {
    now: () => world.now,
    wallMs: () => world.wallMs,
    after: (delayMs, callback) => world.after(delayMs, actor, '', callback),
    random: () => chance.real(),
    newId,
    newSecretId: () => chance.uuid(),
    newSecret: (bytes) => Buffer.from(chance.hex(bytes * 2), 'hex'),
  }
}

/** A whole scheduler without its wires: the real engine and the real handlers, on a simulated database and clock. */
export class Replica implements Actor {
  alive = true
  frozenUntil = 0
  readonly engine: Engine
  readonly register: ReturnType<typeof register>
  readonly leaseTasks: ReturnType<typeof leaseTasks>
  readonly reportResults: ReturnType<typeof reportResults>
  readonly heartbeat: ReturnType<typeof heartbeat>
  readonly deregister: ReturnType<typeof deregister>
  readonly onWorkflowStarted: ReturnType<typeof onWorkflowStarted>
  /** As `TakeRuns` does, which nobody repeats. */
  readonly takeRun: (run: Started) => Promise<void>

  constructor(
    readonly name: string,
    shared: ReplicaWorld,
  ) {
    const { world, database, definitions } = shared
    const env = environmentOf(shared, this)
    const logger = loggerOf(shared)
    const fetchVersion = async (versionId: string) => {
      await world.sleep(world.chance.between(0.5, 3), this, '')
      const definition = definitions.get(versionId)
      if (!definition || world.chance.bool(shared.faults().versionUnavailable)) {
        throw unavailable('workflow_unavailable', 'the version cannot be had now')
      }
      return definition
    }
    const hear = (payload: string) => shared.hint(payload)
    const store = new SimConnection(world, database, this, () => shared.faults(), hear).store()
    this.engine = new Engine({
      store,
      emptyRows,
      env,
      logger,
      fetchVersion,
      published: () => undefined,
      hasReplicas: true,
      leaseMs: LEASE_MS,
      shards: 2,
      maxBatch: 500,
      cachedRuns: 2,
      cachedPlans: 10,
      planMaxAgeMs: 3_600_000,
      reconcileMs: 2000,
      syncMatch: true,
      pollMs: 250,
      createRun: (run) => shared.createRun(this, run),
      elsewhere: evaluateHere,
    })
    const noSecrets = { fetch: async () => ({ values: new Map<string, string>(), unreadable: new Set<string>() }) }
    const replies = new LeaseReplies(this.engine, new SecretValues(noSecrets, env), env, logger)
    const shownOnly = { record: async () => undefined }
    const ctx = {
      ...{ engine: this.engine, env, replies, logger, config: { leaseMs: LEASE_MS } },
      ...{ progress: shownOnly, circuits: shownOnly, newRuns: new NewRuns(CACHED_NEW_RUNS) },
      // What was not asked is answered by the creation itself, which finds the run.
      whichRunsExist: async () => [],
    } as unknown as AppContext
    this.register = register(ctx)
    this.leaseTasks = leaseTasks(ctx)
    this.reportResults = reportResults(ctx)
    this.heartbeat = heartbeat(ctx)
    this.deregister = deregister(ctx)
    this.onWorkflowStarted = onWorkflowStarted(ctx)
    this.takeRun = ({ data }) => createRuns(ctx, [{ data }])
    this.engine.start()
  }
}

/** Few, so that events also find runs that are not remembered. */
const CACHED_NEW_RUNS = 3

/** No threads: what a simulation does is all in its own time. */
const evaluateHere: EvaluateElsewhere = {
  run: async ({ definition, work }) => evaluateAhead(toEnginePlan(compilePlan(definition)), work),
  close: async () => undefined,
}

function loggerOf(shared: ReplicaWorld): AppContext['logger'] {
  const say = (level: 'warn' | 'error') => (about: unknown, message?: string) =>
    shared.complained(level, about, message ?? String(about))
  const silent = () => undefined
  const logger = { trace: silent, debug: silent, info: silent, warn: say('warn'), error: say('error') }
  return { ...logger, child: () => logger } as unknown as AppContext['logger']
}
