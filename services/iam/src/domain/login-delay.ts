const FREE_FAILURES = 5
const STEP_MS = 100

/** A slip of the finger costs nothing; a row of them makes each further guess slower. */
export function loginDelayMs(failures: number, maxMs: number): number {
  if (failures < FREE_FAILURES) return 0
  return Math.min(maxMs, STEP_MS * 2 ** (failures - FREE_FAILURES))
}
