import {
  controlServiceDefinition,
  dispatchDefinition,
  logServiceDefinition,
  schedulerInternalDefinition,
  schedulerServiceDefinition,
  scheduleServiceDefinition,
} from '@millrace/contracts'
import { migrateEvents, type Subscription } from '@millrace/events'
import { createGrpcServer } from '@millrace/grpc'
import { createHttpServer } from '@millrace/http'
import { IdentityVerifier } from '@millrace/identity'
import { migrate, pingPool } from '@millrace/postgres'
import type { SchedulerConfig } from './config.js'
import { onProjectDeleted } from './consumers/project-deleted.js'
import { onRetentionChanged } from './consumers/retention-changed.js'
import { onWorkflowStarted } from './consumers/workflow-started.js'
import { type AppContext, createContext, type SchedulerDeps } from './context.js'
import { endDeadSession } from './db/sessions.js'
import { cancelRun } from './rpc/cancel-run.js'
import { commands } from './rpc/commands.js'
import { controlHandlers } from './rpc/control/handlers.js'
import { countRuns } from './rpc/count-runs.js'
import { deleteDeadLetter, getDeadLetter, listDeadLetters, retryDeadLetter } from './rpc/dead-letters.js'
import { decideApproval } from './rpc/decide-approval.js'
import { deleteRuns } from './rpc/delete-runs.js'
import { deregister } from './rpc/deregister.js'
import { explainRun } from './rpc/explain-run.js'
import { findOutputUsers } from './rpc/find-output-users.js'
import { getLineage } from './rpc/get-lineage.js'
import { getRun } from './rpc/get-run.js'
import { getTask } from './rpc/get-task.js'
import { heartbeat } from './rpc/heartbeat.js'
import { holdsLease } from './rpc/holds-lease.js'
import { leaseTasks } from './rpc/lease-tasks.js'
import { listActivity } from './rpc/list-activity.js'
import { listApprovals } from './rpc/list-approvals.js'
import { listRuns } from './rpc/list-runs.js'
import { listTasks } from './rpc/list-tasks.js'
import { pauseRun, resumeRun } from './rpc/pause-run.js'
import { readChanged } from './rpc/read-changed.js'
import { register } from './rpc/register.js'
import { reportResults } from './rpc/report-results.js'
import { retryRun } from './rpc/retry-run.js'
import { scheduleHandlers } from './rpc/schedules/handlers.js'
import { sendSignal } from './rpc/send-signal.js'
import { takeRuns } from './rpc/take-runs.js'
import { watchRun } from './rpc/watch-run.js'
import { work } from './rpc/work.js'

export interface SchedulerService {
  start(): Promise<void>
  stop(): Promise<void>
  /** Whoever started this worker has seen it die: what it held is taken back at once, and counts as lost. */
  workerDied(sessionId: string): Promise<void>
  readonly httpPort: number
  readonly grpcPort: number
  readonly publicGrpcPort: number
}

export function createSchedulerService(
  config: SchedulerConfig,
  overrides: Partial<SchedulerDeps> = {},
): SchedulerService {
  const ctx = createContext(config, overrides)
  const internal = internalServer(ctx)
  const open = publicServer(ctx)
  const health = healthServer(ctx)
  const ports = { httpPort: 0, grpcPort: 0, publicGrpcPort: 0 }
  const consumers: Subscription[] = []
  const stop = async () => {
    // Workers and readers first, so that nothing new comes in; then what is decided is written; then the ground goes.
    const readers = [...consumers, ctx.results].map((reader) => reader.close())
    await Promise.all([health.stop(), open.stop(), internal.stop(), ...readers])
    await ctx.replies.stop()
    await ctx.engine.stop()
    await ctx.close()
  }
  return {
    get httpPort() {
      return ports.httpPort
    },
    get grpcPort() {
      return ports.grpcPort
    },
    get publicGrpcPort() {
      return ports.publicGrpcPort
    },
    async start() {
      try {
        await migrateEvents(ctx.pool)
        await migrate(ctx.pool, { schema: 'scheduler', directory: new URL('../migrations', import.meta.url) })
        ctx.engine.start()
        const { http, grpc, publicGrpc } = config
        ports.grpcPort = await internal.start(grpc.host, grpc.port)
        ports.publicGrpcPort = await open.start(publicGrpc.host, publicGrpc.port)
        ports.httpPort = await health.start(http.host, http.port)
        for await (const consumer of subscribe(ctx)) consumers.push(consumer)
        await ctx.results.start(ctx.bus, ctx)
      } catch (error) {
        await stop()
        throw error
      }
    },
    stop,
    workerDied: (sessionId) => endDeadSession(ctx.pool, sessionId),
  }
}

async function* subscribe(ctx: AppContext): AsyncGenerator<Subscription> {
  const { bus, pool, retention } = ctx
  yield await bus.subscribe({ group: 'scheduler', topics: ['workflow.started'], handler: onWorkflowStarted(ctx) })
  yield await bus.subscribe({
    group: 'scheduler.retention',
    topics: ['retention.changed'],
    handler: onRetentionChanged(pool),
  })
  yield await bus.subscribe({
    group: 'scheduler.projects',
    topics: ['project.deleted'],
    handler: onProjectDeleted(pool, () => retention.poke()),
  })
}

function internalServer(ctx: AppContext) {
  return createGrpcServer({
    service: 'scheduler',
    logger: ctx.logger,
    auth: { kind: 'internal', identity: ctx.config.identity },
    services: [
      {
        definition: schedulerInternalDefinition,
        handlers: {
          getRun: getRun(ctx),
          listRuns: listRuns(ctx),
          listTasks: listTasks(ctx),
          readChanged: readChanged(ctx),
          countRuns: countRuns(ctx),
          listActivity: listActivity(ctx),
          listApprovals: listApprovals(ctx),
          watchRun: watchRun(ctx),
          explainRun: explainRun(ctx),
          cancelRun: cancelRun(ctx),
          pauseRun: pauseRun(ctx),
          resumeRun: resumeRun(ctx),
          retryRun: retryRun(ctx),
          decideApproval: decideApproval(ctx),
          sendSignal: sendSignal(ctx),
          listDeadLetters: listDeadLetters(ctx),
          getDeadLetter: getDeadLetter(ctx),
          retryDeadLetter: retryDeadLetter(ctx),
          deleteDeadLetter: deleteDeadLetter(ctx),
          holdsLease: holdsLease(ctx),
          findOutputUsers: findOutputUsers(ctx),
          deleteRuns: deleteRuns(ctx),
          getLineage: getLineage(ctx),
          takeRuns: takeRuns(ctx),
        },
      },
      { definition: scheduleServiceDefinition, handlers: scheduleHandlers(ctx) },
      { definition: controlServiceDefinition, handlers: controlHandlers(ctx) },
    ],
  })
}

function publicServer(ctx: AppContext) {
  return createGrpcServer({
    service: 'scheduler',
    logger: ctx.logger,
    auth: {
      kind: 'public',
      validate: ctx.iam.validateToken,
      identity: ctx.config.identity,
      openStream: ctx.iam.openStream,
    },
    services: [
      {
        definition: schedulerServiceDefinition,
        handlers: {
          getRun: getRun(ctx),
          getTask: getTask(ctx),
          listTasks: listTasks(ctx),
          watchRun: watchRun(ctx),
          explainRun: explainRun(ctx),
        },
      },
      {
        definition: dispatchDefinition,
        ofWorkers: true,
        handlers: {
          register: register(ctx),
          leaseTasks: leaseTasks(ctx),
          heartbeat: heartbeat(ctx),
          commands: commands(ctx),
          reportResults: reportResults(ctx),
          work: work(ctx),
          deregister: deregister(ctx),
        },
      },
    ],
    onRefusal: (refusal) => ctx.refusals.note(refusal),
    // The gateway sends questions about all public services here.
    besides: [logServiceDefinition],
  })
}

/** Health, readiness and metrics only: the scheduler's face to people is the workflow service. */
function healthServer(ctx: AppContext) {
  return createHttpServer({
    service: 'scheduler',
    routes: [],
    handlers: {},
    verifier: new IdentityVerifier(() => Promise.resolve({ keys: [] })),
    tls: ctx.config.identity.tls,
    logger: ctx.logger,
    readiness: async () => {
      const database = await pingPool(ctx.pool)
      return { ok: database, dependencies: { postgres: database ? 'up' : 'down' } }
    },
  })
}
