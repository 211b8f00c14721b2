import { rateLimited } from '@millrace/errors'
import { LRUCache } from 'lru-cache'
import { type Bucket, takeToken } from '../domain/token-bucket.js'
import { callerAddressOf } from '../security/network.js'

/** For open routes that cost mail or rows: so many a minute from one address, in each replica. */
export class AddressLimiter {
  private readonly buckets = new LRUCache<string, Bucket>({ max: 50_000 })

  constructor(private readonly perMinute: number) {}

  take(address: string): void {
    const key = callerAddressOf(address)
    const { bucket, retryAfterSeconds } = takeToken(this.buckets.get(key), this.perMinute, performance.now())
    this.buckets.set(key, bucket)
    if (retryAfterSeconds > 0) throw rateLimited('rate_limited', 'Too many requests from here.', retryAfterSeconds)
  }
}
