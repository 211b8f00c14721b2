/** How long a project that asks for nothing keeps its place. */
const FORGET_MS = 10_000

interface Share {
  /** Tasks taken so far, on a scale that all projects share. */
  served: number
  at: number
}

/**
 * Whose turn it is. Each task that a project gets moves it back by one; a project that was away comes in just before the
 * one served least, so that it neither starves nor may catch up on what it never asked for. One replica's view: it orders
 * that replica's picks, and nothing else depends on it.
 */
export class FairShare {
  private readonly shares = new Map<string, Share>()

  constructor(private readonly now: () => number = () => performance.now()) {}

  took(projectId: string, tasks = 1): void {
    const share = this.shares.get(projectId) ?? { served: this.floor() - 1, at: 0 }
    this.shares.set(projectId, { served: share.served + tasks, at: this.now() })
  }

  /** Projects and how far each is ahead of a newcomer, who stands at 0. */
  standings(): { projects: string[]; ahead: number[] } {
    this.forget()
    const floor = this.floor()
    const entries = [...this.shares]
    return { projects: entries.map(([id]) => id), ahead: entries.map(([, share]) => share.served - floor + 1) }
  }

  private floor(): number {
    let floor = Number.POSITIVE_INFINITY
    for (const { served } of this.shares.values()) floor = Math.min(floor, served)
    return floor === Number.POSITIVE_INFINITY ? 0 : floor
  }

  private forget(): void {
    const since = this.now() - FORGET_MS
    for (const [id, { at }] of this.shares) if (at < since) this.shares.delete(id)
  }
}
