import { crashPoint } from '@millrace/crash-point'
import { parseDuration } from '@millrace/definition'
import type { CloudEvent, EventData } from '@millrace/events'
import type { AppContext } from '../context.js'
import { findDeleted } from '../db/retention/projects.js'
import type { RunOrigin } from '../domain/origin.js'
import type { NewRunFacts } from '../engine/shard-item.js'

export interface Started {
  readonly data: EventData<'workflow.started'>
  readonly traceparent?: string | undefined
}

/** What most events say was created here a moment ago, when the workflow service gave it to `TakeRuns`. */
export function onWorkflowStarted(ctx: AppContext): (events: CloudEvent<'workflow.started'>[]) => Promise<void> {
  return async (events) => {
    crashPoint('scheduler.started.received')
    await createRuns(ctx, events, await existingRuns(ctx, events))
    crashPoint('scheduler.started.applied')
  }
}

/**
 * Creates the runs that were requested. Redelivery is harmless: a run is created once. Its watch belongs to its creation:
 * whoever finds a run that is known must not find it unwatched because another run of the page failed.
 */
export async function createRuns(ctx: AppContext, runs: readonly Started[], existing = noRuns): Promise<void> {
  const created = await Promise.allSettled(
    runs.map((run) => ctx.newRuns.once(run.data.runId, () => create(ctx, run, existing.has(run.data.runId)))),
  )
  for (const creation of created) if (creation.status === 'rejected') throw creation.reason
}

const noRuns: ReadonlySet<string> = new Set()

/** Another replica may have been given them. */
async function existingRuns(ctx: AppContext, runs: readonly Started[]): Promise<ReadonlySet<string>> {
  const unknown = runs.flatMap(({ data: { runId } }) => (ctx.newRuns.has(runId) ? [] : [runId]))
  return unknown.length === 0 ? noRuns : new Set(await ctx.whichRunsExist(unknown))
}

/** False: it will never be. */
async function create(ctx: AppContext, run: Started, exists: boolean): Promise<boolean> {
  try {
    if (!exists) await ctx.engine.createRun(toNewRun(run, ctx.env.wallMs()))
    await watch(ctx, run)
    return true
  } catch (error) {
    // The definitions of a deleted project are gone, so its runs cannot be created; the others must not wait for them.
    if ((await findDeleted(ctx.pool, [run.data.projectId])).size === 0) throw error
    ctx.logger.info({ runId: run.data.runId }, 'a run of a deleted project was not created')
    return false
  }
}

/** A run whose definition says how long it takes. Its plan was read when the run was created. */
async function watch(ctx: AppContext, { data }: Started): Promise<void> {
  const { runId, versionId, startAt } = data
  const expectedMs = await expectedMsOf(ctx, versionId)
  if (expectedMs !== undefined) await ctx.runWatches.submit({ runId, expectedMs, startAt })
}

async function expectedMsOf(ctx: AppContext, versionId: string): Promise<number | undefined> {
  const { expectedDuration } = await ctx.engine.planOf(versionId)
  return expectedDuration === undefined ? undefined : parseDuration(expectedDuration)
}

function toNewRun({ data, traceparent }: Started, now: number): NewRunFacts {
  return {
    runId: data.runId,
    projectId: data.projectId,
    workflowId: data.workflowId || null,
    workflow: data.workflow,
    version: data.version,
    versionId: data.versionId,
    input: data.inputJson || null,
    priority: data.priority,
    labels: data.labels,
    createdAt: data.createdAt,
    requestedBy: data.requestedBy,
    traceparent: traceparent ?? null,
    origin: originOf(data),
    hold: data.hold,
    delayMs: data.startAt === '' ? 0 : Math.max(0, Date.parse(data.startAt) - now),
  }
}

function originOf({ parent, rerun, startAt }: Started['data']): RunOrigin | null {
  if (!parent && !rerun && startAt === '') return null
  return {
    ...(parent ? { parent: { ...parent } } : {}),
    ...(rerun ? { rerun: { ...rerun } } : {}),
    ...(startAt === '' ? {} : { startAt }),
  }
}
