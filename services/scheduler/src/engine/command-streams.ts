import type { StopRequest } from './engine-context.js'
import type { SessionStanding } from './settings-cache.js'

export type WorkerCommand =
  | { readonly kind: 'cancel'; readonly taskId: string; readonly leaseId: string; readonly reason: string }
  | { readonly kind: 'pause' | 'resume' | 'drain' }

const commandOf = { active: 'resume', paused: 'pause', draining: 'drain' } as const

interface Stream {
  push(command: WorkerCommand): void
  /** The session has ended: nothing more comes. */
  end(): void
  /** What this stream's worker was last told. */
  standing: SessionStanding | null
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

  /** Tells each worker whose standing changed. A worker is told on opening, so that none misses what came in between. */
  tell(standingOf: (sessionId: string) => SessionStanding): ('pause' | 'resume' | 'drain')[] {
    const told: ('pause' | 'resume' | 'drain')[] = []
    for (const [sessionId, open] of this.streams) {
      const standing = standingOf(sessionId)
      for (const stream of open) {
        if (stream.standing === standing) continue
        stream.standing = standing
        if (standing === 'ended') {
          stream.end()
          continue
        }
        stream.push({ kind: commandOf[standing] })
        told.push(commandOf[standing])
      }
    }
    return told
  }

  async *listen(
    sessionId: string,
    standing: SessionStanding,
    signal: AbortSignal,
    opened: () => void,
  ): AsyncGenerator<WorkerCommand> {
    if (standing === 'ended') return
    const waiting: WorkerCommand[] = [{ kind: commandOf[standing] }]
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
    const stream: Stream = { push, end, standing, cancelled: new Set() }
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
