import type { AppContext } from './context.js'
import { findUnreported, markReported } from './db/project-storage.js'

const EVERY_MS = 5000
const SLICE = 500

/** Says to iam what projects store, so that one answer can show all that a project uses. Repeating it does no harm. */
export function startStorageReports({ pool, reportStorage, logger }: AppContext): () => Promise<void> {
  let reporting: Promise<void> | undefined
  const report = async () => {
    for (;;) {
      const changed = await findUnreported(pool, SLICE)
      if (changed.length === 0) return
      await reportStorage(changed)
      await markReported(pool, changed)
      if (changed.length < SLICE) return
    }
  }
  const timer = setInterval(() => {
    reporting ??= report()
      .catch((error: unknown) => logger.warn({ err: error }, 'stored bytes were not reported; trying again later'))
      .finally(() => {
        reporting = undefined
      })
  }, EVERY_MS)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await reporting
  }
}
