/** Until `register` has its callback called, the time is over, if any is given, or the signal aborts. */
export async function untilWoken(
  register: (wake: () => void) => void,
  timeoutMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = timeoutMs === undefined ? undefined : setTimeout(done, timeoutMs)
    signal.addEventListener('abort', done, { once: true })
    register(done)
  })
}
