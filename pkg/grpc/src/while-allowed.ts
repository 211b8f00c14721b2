import { type AppError, cancelled, unavailable } from '@millrace/errors'
import type { ServerAuth } from './authenticate.js'
import type { ServerCallContext } from './call-context.js'
import { recheckIdentity, recheckService } from './recheck-identity.js'

export interface OpenStream {
  readonly auth: ServerAuth
  readonly draining: AbortSignal
  readonly recheckMs: number
  readonly ctx: ServerCallContext
  readonly path: string
  /** What is under way when the server stops is still answered. A service that holds such a stream is rechecked too. */
  readonly answers: boolean
}

/**
 * Keeps a stream open until its work ends, its caller leaves or loses the right to it, or the server stops; the signal
 * says that it is to end. Whatever ended it other than its work is thrown.
 */
export async function whileAllowed(stream: OpenStream, work: (ending: AbortSignal) => Promise<void>): Promise<void> {
  const { ctx, draining, answers } = stream
  let ended: AppError | undefined
  const ending = new AbortController()
  const end = (error: AppError, atOnce: boolean) => {
    ended ??= error
    ending.abort()
    if (atOnce) ctx.abort()
  }
  const onDrain = () => end(unavailable('shutting_down', 'The server is stopping; connect again.'), !answers)
  const gone = () => ending.abort()
  const stopChecks = recheck(stream, (error) => end(error, true))
  if (draining.aborted) onDrain()
  else draining.addEventListener('abort', onDrain, { once: true })
  ctx.signal.addEventListener('abort', gone, { once: true })
  try {
    await work(ending.signal)
  } finally {
    stopChecks()
    draining.removeEventListener('abort', onDrain)
    ctx.signal.removeEventListener('abort', gone)
  }
  if (ended) throw ended
  if (ctx.signal.aborted) throw cancelled('cancelled', 'The caller went away.')
}

function recheck({ auth, ctx, path, recheckMs, answers }: OpenStream, end: (error: AppError) => void): () => void {
  const isService = ctx.service !== undefined || auth.kind === 'internal'
  if (answers && isService) return recheckService(auth, ctx, path, end)
  return auth.kind === 'public' ? recheckIdentity(auth, ctx, recheckMs, end) : () => undefined
}
