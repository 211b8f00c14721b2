const DAY_MS = 86_400_000

/** Days are UTC's: what is used up by the day is there again from then on. */
export const secondsToNextDay = (nowMs: number): number => Math.max(1, Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000))
