import type { EventOf } from '@millrace/events'
import { factMetrics } from '../telemetry.js'
import type { RecordedTopic } from './record-events.js'

type RecordedEvent = EventOf<RecordedTopic>

/** A worker of a project sends what it likes as a class, and what it likes is no label. */
const errorClasses: ReadonlySet<string> = new Set(
  'timeout http_4xx http_5xx network validation expression lost_worker rejected cancelled user non_retryable'.split(
    ' ',
  ),
)
const classLabel = (error: { class: string } | null): string =>
  error && errorClasses.has(error.class) ? error.class : 'unknown'

/**
 * Runs and tasks as the log tells of them, whichever worker had them. A batch that comes again after a crash is counted
 * again: these are rates for people, not accounts.
 */
export function countEvents(events: readonly RecordedEvent[]): void {
  for (const event of events) countEvent(event)
}

function countEvent(event: RecordedEvent): void {
  switch (event.topic) {
    case 'workflow.started':
      factMetrics.runsStarted.inc()
      return
    case 'workflow.completed':
      countEnd(event.data)
      return
    case 'task.updated':
      countTask(event.data)
      return
    case 'task.completed':
    case 'task.failed':
      factMetrics.taskSeconds.observe({ outcome: event.topic.slice('task.'.length) }, event.data.durationMs / 1000)
      return
    case 'task.dead-lettered':
      factMetrics.deadLetters.inc({ class: classLabel(event.data.error) })
  }
}

function countEnd({ status, startedAt, finishedAt }: EventOf<'workflow.completed'>['data']): void {
  factMetrics.runsEnded.inc({ status })
  const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000
  if (seconds >= 0) factMetrics.runSeconds.observe({ status }, seconds)
}

function countTask({ status, error }: EventOf<'task.updated'>['data']): void {
  factMetrics.taskChanges.inc({ status })
  if (!error || (status !== 'delayed' && status !== 'failed')) return
  factMetrics.taskFailures.inc({ class: classLabel(error) })
  if (status === 'delayed') factMetrics.taskRetries.inc({ class: classLabel(error) })
}
