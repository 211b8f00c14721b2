import { ExecutionFailure } from '../execution/execution-failure.js'
import type { ExecutionContext } from '../executors/executor.js'
import { circuitsOpen, circuitTotal } from '../telemetry.js'
import { type CallOutcome, Circuit, type CircuitState } from './circuit.js'
import { CircuitOpen } from './circuit-open.js'

export interface Peer {
  host: string
  port: number
}

export interface OpenCircuit {
  uses: string
  peer: string
  retryAfterMs: number
}

const maxCircuits = 10_000
const maxReported = 100
/** Those who wait come back one after another, not all at once. */
const spreadMs = 1_000

const failing: ReadonlySet<string> = new Set(['network', 'timeout', 'http_5xx'])

/**
 * One circuit for each project, executor and peer. The project is part of it because whoever sets a time limit of a
 * millisecond makes every call fail, and must not close a peer for others.
 */
export class Circuits {
  private readonly byPeer = new Map<string, Circuit>()

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly random: () => number = Math.random,
  ) {}

  /** Makes a call, or throws `CircuitOpen` without one. */
  async call<T>(ctx: ExecutionContext, { host, port }: Peer, work: () => Promise<T>): Promise<T> {
    const { uses, projectId } = ctx.lease
    const circuit = this.circuitOf(`${projectId} ${uses} ${host}:${port}`)
    const admission = circuit.admit(this.now())
    if (!admission.allowed) {
      circuitTotal.inc({ uses, event: 'refused' })
      throw new CircuitOpen(`${host}:${port}`, Math.ceil(admission.retryAfterMs + this.random() * spreadMs))
    }
    let outcome: CallOutcome = 'ok'
    try {
      return await work()
    } catch (error) {
      outcome = outcomeOf(error, ctx.signal)
      throw error
    } finally {
      // Not as it was when the call began: others have ended since, and one change is told once.
      const now = this.now()
      const before = circuit.state(now)
      admission.settle(outcome, now)
      this.tell(uses, before, circuit.state(now))
    }
  }

  /** Peers that are not called now; what several projects wait for is one. */
  open(): OpenCircuit[] {
    const now = this.now()
    const found = new Map<string, OpenCircuit>()
    for (const [key, circuit] of this.byPeer) {
      const waitMs = circuit.retryAfterMs(now)
      if (waitMs === undefined || found.size === maxReported) continue
      const [, uses = '', peer = ''] = key.split(' ')
      const retryAfterMs = Math.max(Math.ceil(waitMs), found.get(`${uses} ${peer}`)?.retryAfterMs ?? 0)
      found.set(`${uses} ${peer}`, { uses, peer, retryAfterMs })
    }
    return [...found.values()]
  }

  private tell(uses: string, before: CircuitState, after: CircuitState): void {
    if (before === 'closed' && after === 'open') {
      circuitTotal.inc({ uses, event: 'opened' })
      circuitsOpen.inc({ uses })
    } else if (before !== 'closed' && after === 'closed') {
      circuitTotal.inc({ uses, event: 'closed' })
      circuitsOpen.dec({ uses })
    } else if (before === 'half-open' && after === 'open') {
      circuitTotal.inc({ uses, event: 'reopened' })
    }
  }

  private circuitOf(key: string): Circuit {
    const known = this.byPeer.get(key)
    if (known) return known
    if (this.byPeer.size >= maxCircuits) this.makeRoom()
    const made = new Circuit()
    this.byPeer.set(key, made)
    return made
  }

  /** Idle ones first; if all are busy, the oldest: forgetting one only means counting anew. */
  private makeRoom(): void {
    const now = this.now()
    for (const [key, circuit] of this.byPeer) if (circuit.isIdle(now)) this.byPeer.delete(key)
    const [oldest] = this.byPeer.keys()
    if (this.byPeer.size >= maxCircuits && oldest !== undefined) this.byPeer.delete(oldest)
  }
}

/** What never reached the peer is no call, and what the peer refused is no failure of it. */
function outcomeOf(error: unknown, signal: AbortSignal): CallOutcome {
  if (signal.aborted) return (signal.reason as { class?: unknown })?.class === 'timeout' ? 'failed' : 'none'
  if (!(error instanceof ExecutionFailure)) return 'none'
  if (failing.has(error.class)) return 'failed'
  return error.code === 'egress_denied' || error.code === 'input_invalid' ? 'none' : 'ok'
}
