import type { ExecutionContext } from './executor.js'

/** For an attempt that has no time limit of its own: a peer that never answers must not hold a slot for ever. */
const defaultTimeoutMs = 5 * 60_000

export const timeLimitMs = ({ lease }: ExecutionContext): number =>
  lease.timeoutMs > 0 ? lease.timeoutMs : defaultTimeoutMs
