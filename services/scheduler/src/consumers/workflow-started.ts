import { crashPoint } from '@millrace/crash-point'
import type { CloudEvent } from '@millrace/events'
import type { AppContext } from '../context.js'
import type { RunOrigin } from '../domain/origin.js'
import type { NewRunFacts } from '../engine/shard-item.js'

/** Creates the runs that were requested. Redelivery is harmless: a run is created once. */
export function onWorkflowStarted(ctx: AppContext): (events: CloudEvent<'workflow.started'>[]) => Promise<void> {
  return async (events) => {
    crashPoint('scheduler.started.received')
    await Promise.all(events.map((event) => ctx.engine.createRun(toNewRun(event, ctx.env.wallMs()))))
    crashPoint('scheduler.started.applied')
  }
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

function originOf({ parent, rerun }: CloudEvent<'workflow.started'>['data']): RunOrigin | null {
  if (!parent && !rerun) return null
  return { ...(parent ? { parent: { ...parent } } : {}), ...(rerun ? { rerun: { ...rerun } } : {}) }
}
