const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The waits after the first, second, … failed try. */
export const defaultRetryScheduleMs: readonly number[] = [
  second,
  5 * second,
  15 * second,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  6 * hour,
  15 * hour,
]

const jitterShare = 0.2
const longestRetryAfterMs = hour

/**
 * The wait after `tries` failed tries, or undefined when none is left. Jitter only adds: a receiver is never called
 * sooner than the schedule says. A receiver that asks for more time gets it, within reason.
 */
export function nextDelayMs(
  scheduleMs: readonly number[],
  tries: number,
  random: number,
  retryAfterMs = 0,
): number | undefined {
  const planned = scheduleMs[tries - 1]
  if (planned === undefined) return undefined
  return Math.round(Math.max(planned * (1 + jitterShare * random), Math.min(retryAfterMs, longestRetryAfterMs)))
}
