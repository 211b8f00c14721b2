import { setTimeout as delay } from 'node:timers/promises'

export interface WaitOptions {
  timeoutMs?: number
  intervalMs?: number
  /** Said when time runs out. */
  what?: string
}

/** Where a test runs beside a dozen servers on few cores, it may wait longer; what holds is seen as soon as it does. */
const patience = Number(process.env.MILLRACE_TEST_PATIENCE ?? 1)
export const patiently = (ms: number): number => ms * patience

/** Polls until `probe` neither throws nor answers undefined, null or false; returns its answer. */
export async function waitFor<T>(
  probe: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
  const timeoutMs = patiently(options.timeoutMs ?? 10_000)
  const deadline = performance.now() + timeoutMs
  let lastError: unknown
  for (;;) {
    try {
      const answer = await probe()
      if (answer !== undefined && answer !== null && answer !== false) {
        return answer as Exclude<T, undefined | null | false>
      }
      lastError = undefined
    } catch (error) {
      lastError = error
    }
    if (performance.now() > deadline) {
      throw new Error(`not so after ${timeoutMs} ms: ${options.what ?? probe.toString()}`, { cause: lastError })
    }
    await delay(options.intervalMs ?? 20)
  }
}
