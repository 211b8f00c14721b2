import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { LogLine } from '@millrace/job-store'

export interface ResponseLike extends Writable {
  statusCode: number
  setHeader(name: string, value: string): unknown
  flushHeaders(): void
}

export type LogFormat = 'ndjson' | 'sse'

/** Writes lines at the pace of the reader. */
export class LogWriter {
  constructor(
    private readonly res: ResponseLike,
    private readonly format: LogFormat,
    private readonly signal: AbortSignal,
  ) {}

  begin(): void {
    this.res.statusCode = 200
    this.res.setHeader('content-type', this.format === 'sse' ? 'text/event-stream' : 'application/x-ndjson')
    this.res.setHeader('cache-control', 'no-store')
    this.res.setHeader('x-accel-buffering', 'no')
    this.res.flushHeaders()
  }

  /** Only the last line carries the position: until it has arrived, a reconnect goes back to the one before. */
  async lines(lines: readonly LogLine[], position?: string): Promise<void> {
    const texts = lines.map((line) => JSON.stringify(toView(line)))
    if (this.format === 'ndjson') return await this.write(texts.map((text) => `${text}\n`).join(''))
    const frames = texts.map((text, i) => {
      const id = position !== undefined && i === texts.length - 1 ? `id: ${position}\n` : ''
      return `${id}data: ${text}\n\n`
    })
    await this.write(frames.join(''))
  }

  keepAlive(): void {
    if (!this.res.writableNeedDrain && !this.signal.aborted)
      this.res.write(this.format === 'sse' ? ': keep-alive\n\n' : '\n')
  }

  /** A comment, for a client that wants to tell an end from a lost connection; every event is a line and nothing else. */
  async end(): Promise<void> {
    if (this.format === 'sse') await this.write(': end\n\n')
  }

  private async write(text: string): Promise<void> {
    if (this.signal.aborted || text === '') return
    if (this.res.write(text)) return
    await once(this.res, 'drain', { signal: this.signal }).catch((error: unknown) => {
      if (!this.signal.aborted) throw error
    })
  }
}

function toView(line: LogLine): Record<string, unknown> {
  const { seq, at, level, stream, message, task, attempt, jobId } = line
  return { seq, at: at.toISOString(), level, stream, message, task, attempt, jobId }
}
