import { randomUUID } from 'node:crypto'
import { quotaExceeded } from '@millrace/errors'
import type { Logger } from '@millrace/logger'

export interface StreamCalls {
  openStream(stream: { id: string; projectId: string }): Promise<{ allowed: boolean }>
  keepStreams(open: { id: string; projectId: string }[], endedIds: string[]): Promise<void>
}

/** Resolves to what says that the stream ended; throws `quota_exceeded`. */
export type OpenStream = (projectId: string) => Promise<() => void>

/** iam forgets a stream that nobody renewed for 20 s. */
const KEEP_MS = 5000

export interface StreamQuota {
  open: OpenStream
  close(): void
}

/** Counts this process's live streams at iam, where those of all replicas and services are counted together. */
export function createStreamQuota(calls: StreamCalls, logger: Logger): StreamQuota {
  const open = new Map<string, string>()
  let ended: string[] = []
  let sending = false
  const timer = setInterval(() => void keep(), KEEP_MS)
  timer.unref()

  /** One call at a time: what ends meanwhile goes with the next. */
  async function keep(): Promise<void> {
    if (sending || open.size + ended.length === 0) return
    sending = true
    const batch = ended.splice(0, 10_000)
    try {
      await calls.keepStreams(
        [...open].slice(0, 10_000).map(([id, projectId]) => ({ id, projectId })),
        batch,
      )
    } catch (error) {
      // They run out by themselves if iam stays away.
      ended = [...batch, ...ended].slice(0, 10_000)
      logger.warn({ err: error }, 'open streams were not renewed')
    } finally {
      sending = false
    }
  }

  return {
    async open(projectId) {
      const id = randomUUID()
      const { allowed } = await calls.openStream({ id, projectId })
      if (!allowed) throw quotaExceeded('streams', 'The project has as many live streams open as it may.', 5)
      open.set(id, projectId)
      return () => {
        if (!open.delete(id)) return
        ended.push(id)
        void keep()
      }
    },
    close: () => clearInterval(timer),
  }
}
