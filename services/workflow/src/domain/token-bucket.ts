import { LRUCache } from 'lru-cache'

interface Bucket {
  tokens: number
  atMs: number
}

/** Lets `perMinute` through for each key, all at once or spread out. One a process: replicas add up. */
export class TokenBuckets {
  private readonly buckets: LRUCache<string, Bucket>

  constructor(
    private readonly perMinute: number,
    maxKeys = 10_000,
  ) {
    this.buckets = new LRUCache({ max: maxKeys })
  }

  /** Seconds until the next try; 0 when this one may pass. */
  take(key: string, nowMs: number): number {
    const { tokens, atMs } = this.buckets.get(key) ?? { tokens: this.perMinute, atMs: nowMs }
    const perMs = this.perMinute / 60_000
    const filled = Math.min(this.perMinute, tokens + Math.max(0, nowMs - atMs) * perMs)
    const passes = filled >= 1
    this.buckets.set(key, { tokens: passes ? filled - 1 : filled, atMs: nowMs })
    return passes ? 0 : Math.ceil((1 - filled) / perMs / 1_000)
  }
}
