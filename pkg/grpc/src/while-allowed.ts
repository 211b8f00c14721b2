import { type AppError, cancelled, unavailable } from '@millrace/errors'
import { admitStream } from './admit-stream.js'
import type { ServerCallContext } from './call-context.js'
import { recheckIdentity, recheckService } from './recheck-identity.js'
import type { Method, ServerScope } from './server-call.js'

export interface OpenStream extends ServerScope {
  readonly ctx: ServerCallContext
  readonly method: Method
  /** What is under way when the server stops is still answered. A service that holds such a stream is rechecked too. */
  readonly answers: boolean
}

/**
 * Keeps a stream open until its work ends, its caller leaves or loses the right to it, or the server stops; the signal
 * says that it is to end. Whatever ended it other than its work is thrown.
 */
export async function whileAllowed(stream: OpenStream, work: (ending: AbortSignal) => Promise<void>): Promise<void> {
  const { ctx, draining, answers, method, maxAgeMs } = stream
  const release = await admitStream(stream, method, ctx)
  let ended: AppError | undefined
  const ending = new AbortController()
  const end = (error: AppError, atOnce: boolean) => {
    ended ??= error
    ending.abort()
    if (atOnce) ctx.abort()
  }
  const tooOld = () => end(unavailable('stream_too_old', 'The stream is an hour old; open it again.'), !answers)
  const onDrain = () => end(unavailable('shutting_down', 'The server is stopping; connect again.'), !answers)
  const gone = () => ending.abort()
  const stopChecks = recheck(stream, (error) => end(error, true))
  if (draining.aborted) onDrain()
  else draining.addEventListener('abort', onDrain, { once: true })
  // The caller may have left while it was admitted.
  if (ctx.signal.aborted) gone()
  else ctx.signal.addEventListener('abort', gone, { once: true })
  // Services are not outside: what they hold open ends with them.
  const age = ctx.identity && setTimeout(tooOld, maxAgeMs)
  try {
    await work(ending.signal)
  } finally {
    release()
    clearTimeout(age)
    stopChecks()
    draining.removeEventListener('abort', onDrain)
    ctx.signal.removeEventListener('abort', gone)
  }
  if (ended) throw ended
  if (ctx.signal.aborted) throw cancelled('cancelled', 'The caller went away.')
}

function recheck({ auth, ctx, method, recheckMs, answers }: OpenStream, end: (error: AppError) => void): () => void {
  const isService = ctx.service !== undefined || auth.kind === 'internal'
  if (answers && isService) return recheckService(auth, ctx, method.path, end)
  return auth.kind === 'public' ? recheckIdentity(auth, ctx, recheckMs, end) : () => undefined
}
