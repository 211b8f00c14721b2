export interface Bucket {
  tokens: number
  /** Milliseconds. */
  at: number
}

export interface Taken {
  bucket: Bucket
  /** 0 = the token was had. */
  retryAfterSeconds: number
}

/** A bucket that holds a full minute's worth and refills evenly. Pure: the clock is an argument. */
export function takeToken(bucket: Bucket | undefined, perMinute: number, nowMs: number): Taken {
  const perMs = perMinute / 60_000
  const before = bucket ?? { tokens: perMinute, at: nowMs }
  const elapsed = Math.max(0, nowMs - before.at)
  const tokens = Math.min(perMinute, before.tokens + elapsed * perMs)
  if (tokens >= 1) return { bucket: { tokens: tokens - 1, at: nowMs }, retryAfterSeconds: 0 }
  const waitMs = (1 - tokens) / perMs
  return { bucket: { tokens, at: nowMs }, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) }
}
