import { crashPoint } from '@millrace/crash-point'
import { parseDuration } from '@millrace/definition'
import type { CloudEvent } from '@millrace/events'
import type { AppContext } from '../context.js'
import { findDeleted } from '../db/retention/projects.js'
import { insertRunWatches, type RunWatch } from '../db/run-watches.js'
import type { RunOrigin } from '../domain/origin.js'
import type { NewRunFacts } from '../engine/shard-item.js'

/** Creates the runs that were requested. Redelivery is harmless: a run is created once. */
export function onWorkflowStarted(ctx: AppContext): (events: CloudEvent<'workflow.started'>[]) => Promise<void> {
  return async (events) => {
    crashPoint('scheduler.started.received')
    const created = await Promise.all(events.map((event) => create(ctx, event)))
    await watchRuns(
      ctx,
      events.filter((_, i) => created[i]),
    )
    crashPoint('scheduler.started.applied')
  }
}

/** False: it will never be. */
async function create(ctx: AppContext, event: CloudEvent<'workflow.started'>): Promise<boolean> {
  try {
    await ctx.engine.createRun(toNewRun(event, ctx.env.wallMs()))
    return true
  } catch (error) {
    // The definitions of a deleted project are gone, so its runs cannot be created; the others must not wait for them.
    if ((await findDeleted(ctx.pool, [event.data.projectId])).size === 0) throw error
    ctx.logger.info({ runId: event.data.runId }, 'a run of a deleted project was not created')
    return false
  }
}

/** Runs whose definition says how long they take. Its plan was read when the run was created. */
async function watchRuns(ctx: AppContext, events: readonly CloudEvent<'workflow.started'>[]): Promise<void> {
  const watches: RunWatch[] = []
  for (const { data } of events) {
    const expectedMs = await expectedMsOf(ctx, data.versionId)
    if (expectedMs !== undefined) watches.push({ runId: data.runId, expectedMs, startAt: data.startAt })
  }
  await insertRunWatches(ctx.pool, watches)
}

async function expectedMsOf(ctx: AppContext, versionId: string): Promise<number | undefined> {
  const { expectedDuration } = await ctx.engine.planOf(versionId)
  return expectedDuration === undefined ? undefined : parseDuration(expectedDuration)
}

function toNewRun({ data, traceparent }: CloudEvent<'workflow.started'>, now: number): NewRunFacts {
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

function originOf({ parent, rerun, startAt }: CloudEvent<'workflow.started'>['data']): RunOrigin | null {
  if (!parent && !rerun && startAt === '') return null
  return {
    ...(parent ? { parent: { ...parent } } : {}),
    ...(rerun ? { rerun: { ...rerun } } : {}),
    ...(startAt === '' ? {} : { startAt }),
  }
}
