import { crashPoint } from '@millrace/crash-point'
import type { EventOf } from '@millrace/events'
import type { ChangeBatch } from '@millrace/job-store'
import type { AppContext } from '../context.js'
import {
  artifactCreated,
  emptyBatch,
  jobClaimed,
  jobDeadLettered,
  jobObserved,
  runCompleted,
  runObserved,
  runRequested,
} from '../domain/to-changes.js'
import { eventLag, eventsApplied } from '../telemetry.js'
import { countEvents } from './count-events.js'

/** `task.scheduled` is a hint and `workflow.deleted` ends no history: neither changes a document. */
export const recordedTopics = [
  'workflow.started',
  'workflow.updated',
  'workflow.completed',
  'task.updated',
  'task.completed',
  'task.failed',
  'task.dead-lettered',
  'artifact.created',
] as const
export type RecordedTopic = (typeof recordedTopics)[number]
type RecordedEvent = EventOf<RecordedTopic>

/** A whole batch is one call to the store. Whatever fails here, the same batch may come again. */
export function recordEvents(ctx: Pick<AppContext, 'store' | 'hints'>): (events: RecordedEvent[]) => Promise<void> {
  return async (events) => {
    const batch = emptyBatch()
    for (const event of events) addTo(batch, event)
    crashPoint('metadata.record.before')
    await ctx.store.apply(batch)
    crashPoint('metadata.record.applied')
    eventsApplied.inc(events.length)
    countEvents(events)
    const newest = events.at(-1)
    if (newest !== undefined) eventLag.observe(Math.max(0, Date.now() - Date.parse(newest.time)) / 1_000)
    const ofJobs = batch.jobs.map((job) => (job.kind === 'observed' ? job.identity.runId : job.runId))
    ctx.hints.notify(new Set([...batch.runs.map((run) => run.runId), ...ofJobs]), 'record')
  }
}

function addTo(batch: ChangeBatch, event: RecordedEvent): void {
  switch (event.topic) {
    case 'workflow.started':
      batch.runs.push(runRequested(event))
      return
    case 'workflow.updated':
      batch.runs.push(runObserved(event))
      return
    case 'workflow.completed':
      batch.runs.push(runCompleted(event))
      return
    case 'task.updated':
      batch.jobs.push(jobObserved(event))
      return
    case 'task.completed':
    case 'task.failed':
      batch.jobs.push(jobClaimed(event))
      return
    case 'task.dead-lettered':
      batch.jobs.push(jobDeadLettered(event))
      return
    case 'artifact.created': {
      const artifact = artifactCreated(event)
      if (artifact !== undefined) batch.artifacts.push(artifact)
    }
  }
}
