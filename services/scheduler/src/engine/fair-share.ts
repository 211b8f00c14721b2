/** How long one who asks for nothing keeps its place. */
const FORGET_MS = 10_000

interface Share {
  /** Taken so far, on a scale that all share. */
  served: number
  /** What that was when it came in. */
  cameIn: number
  at: number
}

/** How far before the one served least a newcomer comes in. */
const LEAD = 1

/**
 * Whose turn it is. Each task that one gets moves it back; one that was away comes in just before the one served least,
 * so that it neither starves nor may catch up on what it never asked for. One replica's view: it orders that replica's
 * dequeue requests, and nothing else depends on it.
 */
class Turns {
  private readonly shares = new Map<string, Share>()

  constructor(private readonly now: () => number) {}

  took(key: string, cost: number): void {
    const share = this.shares.get(key)
    const cameIn = share?.cameIn ?? this.floor() - LEAD
    this.shares.set(key, { served: (share?.served ?? cameIn) + cost, cameIn, at: this.now() })
  }

  /** What it took came back, perhaps from another replica: it gets no further ahead than it came in. */
  returned(key: string, cost: number): void {
    const share = this.shares.get(key)
    if (share) share.served = Math.max(share.served - cost, share.cameIn)
  }

  /** Each one and how far it is ahead of a newcomer, who stands at 0. */
  virtualTimes(): [key: string, ahead: number][] {
    const since = this.now() - FORGET_MS
    for (const [key, { at }] of this.shares) if (at < since) this.shares.delete(key)
    const floor = this.floor() - LEAD
    return Array.from(this.shares, ([key, { served }]) => [key, served - floor])
  }

  private floor(): number {
    let floor = Number.POSITIVE_INFINITY
    for (const { served } of this.shares.values()) floor = Math.min(floor, served)
    return floor === Number.POSITIVE_INFINITY ? 0 : floor
  }
}

/** The share of all queues of a project that have no weight of their own. */
export const COMMON_SHARE = ''

/** In a project that has weighted queues: what a queue counts as. */
export interface QueueShare {
  readonly key: string
  readonly weight: number
}

/** Turns of projects, all alike; and within a project that has weighted queues, turns of those by their weight. */
export class FairShare {
  private readonly projects: Turns
  private readonly queues = new Map<string, Turns>()

  constructor(private readonly now: () => number = () => performance.now()) {
    this.projects = new Turns(now)
  }

  took(projectId: string, share?: QueueShare): void {
    this.projects.took(projectId, 1)
    if (!share) return
    const turns = this.queues.get(projectId) ?? new Turns(this.now)
    this.queues.set(projectId, turns)
    turns.took(share.key, 1 / share.weight)
  }

  returned(projectId: string, share?: QueueShare): void {
    this.projects.returned(projectId, 1)
    if (share) this.queues.get(projectId)?.returned(share.key, 1 / share.weight)
  }

  virtualTimes() {
    const projects = this.projects.virtualTimes()
    const shares = { projects: [] as string[], queues: [] as string[], ahead: [] as number[] }
    for (const [projectId, turns] of this.queues) {
      const virtualTimes = turns.virtualTimes()
      if (virtualTimes.length === 0) this.queues.delete(projectId)
      for (const [queue, ahead] of virtualTimes) {
        shares.projects.push(projectId)
        shares.queues.push(queue)
        shares.ahead.push(ahead)
      }
    }
    return { projects: projects.map(([id]) => id), ahead: projects.map(([, ahead]) => ahead), shares }
  }
}
