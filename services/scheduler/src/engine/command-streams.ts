import type { StopRequest } from './engine-context.js'

/** The open command streams of workers connected to this process. */
export class CommandStreams {
  private readonly streams = new Map<string, Set<(request: StopRequest) => void>>()

  /** Sends to the session's streams here; false when it has none here. */
  send(request: StopRequest): boolean {
    const open = this.streams.get(request.sessionId)
    for (const push of open ?? []) push(request)
    return open !== undefined
  }

  async *listen(sessionId: string, signal: AbortSignal): AsyncGenerator<StopRequest> {
    const waiting: StopRequest[] = []
    let wake = () => {}
    const push = (request: StopRequest) => {
      waiting.push(request)
      wake()
    }
    const open = this.streams.get(sessionId) ?? new Set()
    this.streams.set(sessionId, open.add(push))
    const onAbort = () => wake()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      while (!signal.aborted) {
        for (const request of waiting.splice(0)) yield request
        if (waiting.length > 0 || signal.aborted) continue
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
      open.delete(push)
      if (open.size === 0) this.streams.delete(sessionId)
    }
  }
}
