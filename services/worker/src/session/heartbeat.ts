import { crashPoint } from '@millrace/crash-point'
import type { Logger } from '@millrace/logger'
import type { OpenCircuit } from '../circuit/circuits.js'
import type { DispatchClient, SessionKey } from './dispatch-client.js'
import type { HeldLeases } from './held-leases.js'
import { isSessionOver } from './session-error.js'

export interface HeartbeatOptions {
  client: DispatchClient
  session: SessionKey
  intervalMs: number
  held: HeldLeases
  logger: Logger
  signal: AbortSignal
  onLost: (leaseId: string) => void
  /** What this worker was asked on its own port and the scheduler does not know yet; empty = nothing. */
  requestedState: () => string
  onStateReported: (requestedState: string) => void
  openCircuits: () => OpenCircuit[]
  onSessionOver: () => void
}

/** One timer for the whole session. A beat that is still under way lets the next one pass. Gives a way to beat at once. */
export function startHeartbeat(options: HeartbeatOptions): () => void {
  let underWay = false
  const beatOnce = () => {
    if (underWay || options.signal.aborted) return
    underWay = true
    void beat(options).finally(() => {
      underWay = false
    })
  }
  const timer = setInterval(beatOnce, options.intervalMs)
  options.signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  return beatOnce
}

async function beat(options: HeartbeatOptions): Promise<void> {
  const { client, session, held, signal } = options
  try {
    const timeoutMs = Math.max(1_000, options.intervalMs * 1.5)
    const requestedState = options.requestedState()
    const report = held.report()
    const circuits = options.openCircuits()
    const said = { session, held: report.held, requestedState, circuits }
    const reply = await client.heartbeat(said, { timeoutMs, signal })
    report.settle()
    if (requestedState !== '') options.onStateReported(requestedState)
    crashPoint('worker.heartbeat.answered')
    for (const leaseId of reply.lostLeaseIds) options.onLost(leaseId)
  } catch (error) {
    if (signal.aborted) return
    if (isSessionOver(error)) options.onSessionOver()
    else options.logger.warn({ err: error }, 'a heartbeat was not answered')
  }
}
