import type { Logger } from '@millrace/logger'

const RETRY_MS = 5_000

/** Does something once, in the background, however often it takes; gives what stops it and waits for it. */
export function untilDone(name: string, logger: Logger, work: () => Promise<void>): () => Promise<void> {
  let stopped = false
  let wake: () => void = () => undefined
  const rest = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, RETRY_MS)
      timer.unref()
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const run = async () => {
    while (!stopped) {
      try {
        await work()
        return
      } catch (error) {
        if (!stopped) logger.warn({ err: error }, `${name} failed and will be tried again`)
      }
      await rest()
    }
  }
  const done = run()
  return async () => {
    stopped = true
    wake()
    await done
  }
}
