import type { Body } from './event-body.js'

/** Of runs that ended. */
const runTypes: ReadonlySet<string> = new Set(['workflow.completed', 'workflow.failed'])

const words: Record<string, string> = { succeeded: 'succeeded', failed: 'failed', cancelled: 'was cancelled' }

/** One line that says what happened: the subject of a mail, the first line of a chat message. */
export function headlineOf({ type, data }: Body): string {
  const workflow = textOf(data.workflow)
  switch (type) {
    case 'workflow.started':
      return `${workflow} was started`
    case 'workflow.completed':
    case 'workflow.failed':
      return `${workflow} ${words[textOf(data.status)] ?? textOf(data.status)}${failedTask(data)}`
    case 'task.dead-lettered':
    case 'task.failed':
      return `${workflow}: task ${taskName(data)} failed for good`
    case 'approval.requested':
      return `${workflow}: ${taskName(data)} waits for approval`
    case 'run.late':
      return data.reason === 'not_started' ? `${workflow} has not started` : `${workflow} takes longer than expected`
    case 'schedule.missed':
      return `${workflow}: its schedule was missed`
    case 'worker.lost':
      return `Worker ${textOf(data.name)} was lost`
    case 'queue.backlog':
      return `Queue ${textOf(data.queue)} has a backlog`
    case 'subscription.test':
      return 'Test notification'
    case 'subscription.disabled':
      return 'A subscription was disabled'
    case 'digest':
      return data.count === 1 ? '1 notification' : `${textOf(data.count)} notifications`
  }
}

export type Fact = readonly [label: string, value: string, link?: string | undefined]

/** What else a person wants to know, in reading order; empty values are left out. */
export function factsOf({ type, data, timestamp }: Body): Fact[] {
  const error = isRecord(data.error) ? data.error : {}
  const facts: Fact[] = [
    ['Workflow', versioned(data)],
    ['Run', textOf(data.runId)],
    ['Status', runTypes.has(type) || type === 'workflow.started' || type === 'run.late' ? textOf(data.status) : ''],
    ['Task', taskName(data) || taskName(error)],
    ['Attempts', textOf(data.attempt)],
    ['Reason', textOf(data.reason)],
    ['Expected', inSeconds(data.expectedMs)],
    ['Schedule', data.scheduleId === undefined ? '' : textOf(data.name) || textOf(data.scheduleId)],
    ['First tick', textOf(data.firstTick)],
    ['Last tick', textOf(data.lastTick)],
    ['Workers', Array.isArray(data.workerIds) ? data.workerIds.join(', ') : ''],
    ['Tasks', textOf(data.tasks)],
    ['Queue', textOf(data.queue)],
    ['Ready tasks', textOf(data.depth)],
    ['Longest wait', inSeconds(data.oldestMs)],
    [
      'Error',
      [textOf(error.class) || textOf(error.code), textOf(error.message)].filter((part) => part !== '').join(': '),
    ],
    ['Message', textOf(data.message)],
    ['Role', textOf(data.role)],
    ['Subscription', textOf(data.subscriptionId)],
    ['Address', textOf(data.address)],
    ['Started by', starter(data.startedBy)],
    ['Started', textOf(data.startedAt)],
    ['Finished', textOf(data.finishedAt)],
    ['At', timestamp],
    ['Trace', textOf(data.traceId)],
    ['Link', textOf(data.url), textOf(data.url)],
  ]
  return facts.filter(([, value]) => value !== '').map(([label, value, link]) => [label, shortened(value), link])
}

const longestFact = 1000

function shortened(value: string): string {
  const points = Array.from(value)
  return points.length <= longestFact ? value : `${points.slice(0, longestFact).join('')}…`
}

function versioned(data: Record<string, unknown>): string {
  const workflow = textOf(data.workflow)
  return workflow !== '' && typeof data.version === 'number' ? `${workflow}, version ${data.version}` : workflow
}

function taskName(data: Record<string, unknown>): string {
  return typeof data.index === 'number' ? `${textOf(data.task)}[${data.index}]` : textOf(data.task)
}

function failedTask({ error }: Record<string, unknown>): string {
  const name = isRecord(error) ? taskName(error) : ''
  return name === '' ? '' : ` at ${name}`
}

const starterWords: Record<string, string> = { api_key: 'API key', rerun: 'rerun of run' }

function starter(startedBy: unknown): string {
  if (!isRecord(startedBy)) return ''
  const type = textOf(startedBy.type)
  return `${starterWords[type] ?? type} ${textOf(startedBy.id)}`
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

const inSeconds = (ms: unknown): string => (typeof ms === 'number' ? `${Math.round(ms / 1000)} s` : '')

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
