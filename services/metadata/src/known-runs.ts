import { type JobDocument, type JobStore, jobHasEnded, type RunDocument, runHasEnded } from '@millrace/job-store'
import type { KnownRun, SchedulerRuns } from './clients/scheduler.js'
import type { FollowConfig } from './config.js'
import { isRecentId } from './domain/recent-id.js'
import type { RunHints } from './logs/run-hints.js'

const RECENT_MS = 60_000
const RETRY_MS = 100
const MAX_OWNERS = 10_000

/**
 * Who owns a run and whether it has ended, though its events may still be on the way: the store first, then the
 * scheduler; and since a run exists from the moment it was answered with 202, before even the scheduler has heard of
 * it, an id that was made just now is waited for a little before it is called unknown.
 */
export class KnownRuns {
  private readonly owners = new Map<string, string>()

  constructor(
    private readonly store: Pick<JobStore, 'getRun' | 'getJob'>,
    private readonly scheduler: SchedulerRuns | undefined,
    private readonly hints: RunHints,
    private readonly config: FollowConfig,
  ) {}

  async find(projectId: string, runId: string): Promise<KnownRun | undefined> {
    const run = await this.store.getRun(projectId, runId)
    if (run !== undefined) return { id: run.id, finishedAt: endOf(run) }
    return await this.scheduler?.find(projectId, runId)
  }

  async findSoon(projectId: string, runId: string, signal: AbortSignal): Promise<KnownRun | undefined> {
    return await this.soon(runId, signal, () => this.find(projectId, runId))
  }

  async findJobSoon(projectId: string, jobId: string, signal: AbortSignal): Promise<JobDocument | undefined> {
    return await this.soon(jobId, signal, () => this.store.getJob(projectId, jobId))
  }

  /** Without a scheduler to ask, an unknown run is taken at the caller's word: lines are kept under its project. */
  async isOwnedBy(projectId: string, runId: string): Promise<boolean> {
    if (this.owners.get(runId) === projectId) return true
    const known = await this.find(projectId, runId)
    if (known === undefined) return this.scheduler === undefined
    if (this.owners.size >= MAX_OWNERS) this.owners.clear()
    this.owners.set(runId, projectId)
    return true
  }

  private async soon<T>(id: string, signal: AbortSignal, probe: () => Promise<T | undefined>): Promise<T | undefined> {
    const deadline = Date.now() + this.config.arrivalMs
    const listener = this.hints.listen(id)
    try {
      for (;;) {
        const found = await probe()
        if (found !== undefined || !isRecentId(id, Date.now(), RECENT_MS)) return found
        if (Date.now() >= deadline || signal.aborted) return undefined
        await listener.wait(RETRY_MS, signal)
      }
    } finally {
      listener.close()
    }
  }
}

export function endOf(run: RunDocument): number | undefined {
  return runHasEnded(run.status) ? Date.parse(run.finishedAt ?? run.createdAt) : undefined
}

export function endOfJob(job: JobDocument): number | undefined {
  return jobHasEnded(job.status) ? Date.parse(job.finishedAt ?? job.updatedAt) : undefined
}
