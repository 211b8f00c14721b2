import type { StopRequest } from './engine-context.js'
import type { SessionState } from './settings-cache.js'

export type WorkerCommand =
  | { readonly kind: 'cancel'; readonly taskId: string; readonly leaseId: string; readonly reason: string }
  | { readonly kind: 'pause' | 'resume' | 'drain' }

const commandOf = { active: 'resume', paused: 'pause', draining: 'drain' } as const

interface Stream {
  push(command: WorkerCommand): void
  /** The session has ended: nothing more comes. */
  end(): void
  /** What this stream's worker was last told. */
  state: SessionState | null
  /** Leases that it was told to stop, so that no poll tells it again. */
  readonly cancelled: Set<string>
}

/** The open command streams of workers connected to this process. */
export class CommandStreams {
  private readonly streams = new Map<string, Set<Stream>>()

  sessions(): string[] {
    return [...this.streams.keys()]
  }

  /** Sends to the session's streams here, once for each lease. */
  cancel({ sessionId, taskId, leaseId, reason }: StopRequest): 'sent' | 'known' | 'absent' {
    const open = this.streams.get(sessionId)
    if (!open) return 'absent'
    let sent = false
    for (const stream of open) {
      if (stream.cancelled.has(leaseId)) continue
      stream.cancelled.add(leaseId)
      stream.push({ kind: 'cancel', taskId, leaseId, reason })
      sent = true
    }
    return sent ? 'sent' : 'known'
  }

  /** Forgets cancels of leases that are over. */
  retain(leaseIds: ReadonlySet<string>): void {
    for (const open of this.streams.values())
      for (const { cancelled } of open) for (const id of cancelled) if (!leaseIds.has(id)) cancelled.delete(id)
  }

  /** Tells each worker whose state changed. A worker is told on opening, so that none misses what came in between. */
  sendStates(stateOf: (sessionId: string) => SessionState): ('pause' | 'resume' | 'drain')[] {
    const sent: ('pause' | 'resume' | 'drain')[] = []
    for (const [sessionId, open] of this.streams) {
      const state = stateOf(sessionId)
      for (const stream of open) {
        if (stream.state === state) continue
        stream.state = state
        if (state === 'ended') {
          stream.end()
          continue
        }
        stream.push({ kind: commandOf[state] })
        sent.push(commandOf[state])
      }
    }
    return sent
  }

  async *listen(
    sessionId: string,
    state: SessionState,
    signal: AbortSignal,
    opened: () => void,
  ): AsyncGenerator<WorkerCommand> {
    if (state === 'ended') return
    const waiting: WorkerCommand[] = [{ kind: commandOf[state] }]
    let wake = () => {}
    let ended = false
    const end = () => {
      ended = true
      wake()
    }
    const push = (command: WorkerCommand) => {
      waiting.push(command)
      wake()
    }
    const stream: Stream = { push, end, state, cancelled: new Set() }
    const open = this.streams.get(sessionId) ?? new Set()
    this.streams.set(sessionId, open.add(stream))
    const onAbort = () => wake()
    signal.addEventListener('abort', onAbort, { once: true })
    opened()
    try {
      while (!signal.aborted && !ended) {
        for (const command of waiting.splice(0)) yield command
        if (waiting.length > 0 || signal.aborted || ended) continue
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
      open.delete(stream)
      if (open.size === 0) this.streams.delete(sessionId)
    }
  }
}
