import type { Response } from 'express'

const keepAliveMs = 15_000

export interface EventWriter {
  /** `data` is JSON text. Resolves once the reader has taken enough to be given more. */
  send(event: string, id: string, data: string, signal: AbortSignal): Promise<void>
  /** Moves the reader's last event id on without an event. */
  passed(id: string): void
  close(): void
}

export function openEventStream(res: Response): EventWriter {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  res.write('retry: 1000\n\n')
  const keepAlive = setInterval(() => res.write(': keep-alive\n\n'), keepAliveMs)
  return {
    async send(event, id, data, signal) {
      const flushed = res.write(`event: ${event}\nid: ${id}\ndata: ${data}\n\n`)
      // A reader that is slower than what it follows must not make this process hold that history.
      if (!flushed && !signal.aborted) await drained(res)
    },
    passed: (id) => void res.write(`id: ${id}\n\n`),
    close: () => clearInterval(keepAlive),
  }
}

function drained(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done)
      res.off('close', done)
      resolve()
    }
    res.on('drain', done)
    res.on('close', done)
  })
}
