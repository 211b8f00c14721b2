import type { EventBus, EventOf, Tail } from '@millrace/events'
import type { Logger } from '@millrace/logger'
import type { ProtoRun, ProtoTask } from '../clients/scheduler.js'
import type { RunRequest } from '../db/run-requests.js'
import { runOf, runView, taskView } from '../http/views.js'
import { type Change, ProjectLog } from './project-log.js'

const topics = ['workflow.started', 'workflow.updated', 'workflow.completed', 'task.updated', 'task.progress'] as const
type FeedEvent = EventOf<(typeof topics)[number]>

export interface ProjectFeedOptions {
  bus: EventBus
  logger: Logger
  /** Runs and tasks as they are now; what does not exist is left out. */
  readChanged(runIds: string[], taskIds: string[]): AsyncIterable<{ run: ProtoRun; task?: ProtoTask }>
  findRequests(runIds: string[]): Promise<RunRequest[]>
  /** So long after its last reader left, a project's changes can still be resumed. */
  lingerMs?: number
}

export interface ProjectFeed {
  /** Once this resolves, every change from then on is in the log. `leave` must be called once. */
  join(projectId: string): Promise<{ log: ProjectLog; leave(): void }>
  close(): Promise<void>
}

interface Watched {
  log: ProjectLog
  readers: number
  leftAt: number
}

const sweepMs = 5_000

/**
 * What changes in the projects that somebody watches. Events say what changed, the scheduler says what it is now; while
 * nobody watches, nothing is read.
 */
export function createProjectFeed(options: ProjectFeedOptions): ProjectFeed {
  return new Feed(options)
}

class Feed implements ProjectFeed {
  private readonly watched = new Map<string, Watched>()
  private readonly sweeper: NodeJS.Timeout
  private tail: Promise<Tail> | undefined

  constructor(private readonly options: ProjectFeedOptions) {
    this.sweeper = setInterval(() => this.sweep(), sweepMs)
    this.sweeper.unref()
  }

  async join(projectId: string) {
    const entry = this.watched.get(projectId) ?? { log: new ProjectLog(), readers: 0, leftAt: 0 }
    this.watched.set(projectId, entry)
    entry.readers += 1
    let left = false
    const leave = () => {
      if (left) return
      left = true
      entry.readers -= 1
      entry.leftAt = performance.now()
    }
    try {
      this.tail ??= this.options.bus.tail({ name: 'workflow', topics, handler: (events) => this.handle(events) })
      await this.tail
    } catch (error) {
      this.tail = undefined
      leave()
      throw error
    }
    return { log: entry.log, leave }
  }

  async close(): Promise<void> {
    clearInterval(this.sweeper)
    this.watched.clear()
    await this.closeTail()
  }

  private sweep(): void {
    const before = performance.now() - (this.options.lingerMs ?? 60_000)
    for (const [projectId, { readers, leftAt }] of this.watched) {
      if (readers === 0 && leftAt < before) this.watched.delete(projectId)
    }
    if (this.watched.size === 0) void this.closeTail()
  }

  private async closeTail(): Promise<void> {
    const { tail } = this
    this.tail = undefined
    await tail?.then((open) => open.close()).catch(() => undefined)
  }

  private async handle(events: FeedEvent[]): Promise<void> {
    const seen = events.filter((event) => this.watched.has(event.data.projectId))
    if (seen.length === 0) return
    try {
      for (const changed of slicesByRun(seen)) await this.read(changed)
    } catch (error) {
      this.options.logger.warn({ err: error }, 'what changed could not be read; watchers start anew')
      for (const { data } of seen) this.watched.get(data.projectId)?.log.restart()
    }
  }

  private async read({ runs, tasks }: Changed): Promise<void> {
    const unknown = new Set(runs)
    for await (const { run, task } of this.options.readChanged([...runs], [...tasks])) {
      if (task === undefined) unknown.delete(run.id)
      this.watched.get(run.projectId)?.log.add(task === undefined ? ofRun(run) : ofTask(run, task))
    }
    if (unknown.size === 0) return
    // Accepted, and not in the scheduler yet.
    for (const request of await this.options.findRequests([...unknown])) {
      this.watched.get(request.projectId)?.log.add(ofRun(runOf(request)))
    }
  }
}

interface Changed {
  runs: Set<string>
  tasks: Set<string>
}

/** Runs of one reading: what they hold of users' JSON is in memory at once. */
const sliceRuns = 100

/** A run and its tasks are read together, so that the run's end comes after theirs. */
function* slicesByRun(events: readonly FeedEvent[]): Generator<Changed> {
  const byRun = new Map<string, FeedEvent[]>()
  for (const event of events) {
    const known = byRun.get(event.data.runId)
    if (known) known.push(event)
    else byRun.set(event.data.runId, [event])
  }
  const groups = [...byRun.values()]
  for (let start = 0; start < groups.length; start += sliceRuns) {
    const changed: Changed = { runs: new Set(), tasks: new Set() }
    for (const { topic, data } of groups.slice(start, start + sliceRuns).flat()) {
      if (topic === 'task.updated' || topic === 'task.progress') changed.tasks.add(data.taskId)
      else changed.runs.add(data.runId)
    }
    yield changed
  }
}

const ofRun = (run: ProtoRun): Change => ({
  kind: 'run',
  id: run.id,
  rev: run.rev,
  status: run.status,
  workflow: run.workflow,
  labels: run.labels,
  data: JSON.stringify(runView(run)),
})

const ofTask = (run: ProtoRun, task: ProtoTask): Change => ({
  kind: 'task',
  id: task.id,
  // Progress does not raise the rev of a task: its own count ranks readings of one rev.
  rev: task.rev * 1_000_000 + Math.min(task.progress?.number ?? 0, 999_999),
  status: task.status,
  workflow: run.workflow,
  labels: run.labels,
  data: JSON.stringify({ runId: run.id, workflow: run.workflow, ...taskView(task) }),
})
