import type { ClientRequest } from 'node:http'
import type { Exchange } from './exchange.js'
import { problems, sendLocal } from './local-reply.js'

const WINDOW_MS = 10_000
const MIN_BYTES = 1024

/**
 * A body that trickles holds a connection here and one at the service. Less than 1 KiB in ten seconds ends it, unless it
 * is the service that does not take more.
 */
export function watchBodyRate({ req, res, requestId }: Exchange, outgoing: ClientRequest, windowMs = WINDOW_MS): void {
  let seen = req.socket.bytesRead
  const timer = setInterval(() => {
    const now = req.socket.bytesRead
    const trickles = now - seen < MIN_BYTES
    seen = now
    if (!trickles || req.complete || outgoing.writableNeedDrain) return
    clearInterval(timer)
    sendLocal(res, problems.slow, requestId, true)
    outgoing.destroy()
  }, windowMs)
  const stop = () => clearInterval(timer)
  req.once('end', stop)
  res.once('close', stop)
}
