import type { TaskLimit } from '../../domain/limits/task-limits.js'

const none: readonly TaskLimit[] = []

/** Limits of whole queues, as this process last read them. They reach every task that enters such a queue. */
export class QueueLimits {
  private byQueue = new Map<string, readonly TaskLimit[]>()

  /** Replaces all of them. */
  set(entries: readonly { projectId: string; queue: string; limits: readonly TaskLimit[] }[]): void {
    this.byQueue = new Map(
      entries
        .filter(({ limits }) => limits.length > 0)
        .map(({ projectId, queue, limits }) => [`${projectId} ${queue}`, limits]),
    )
  }

  get isEmpty(): boolean {
    return this.byQueue.size === 0
  }

  of(projectId: string, queue: string): readonly TaskLimit[] {
    return this.byQueue.get(`${projectId} ${queue}`) ?? none
  }

  has(projectId: string, queue: string): boolean {
    return !this.isEmpty && this.byQueue.has(`${projectId} ${queue}`)
  }
}
