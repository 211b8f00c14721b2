import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { PlacedLine } from '@millrace/job-store'

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

  begin(fileName?: string): void {
    this.res.statusCode = 200
    if (fileName !== undefined) this.res.setHeader('content-disposition', `attachment; filename="${fileName}"`)
    this.res.setHeader('content-type', this.format === 'sse' ? 'text/event-stream' : 'application/x-ndjson')
    this.res.setHeader('cache-control', 'no-store')
    this.res.setHeader('x-accel-buffering', 'no')
    this.res.flushHeaders()
  }

  /** A reconnect with a line's position goes on behind that line. */
  async lines(lines: readonly PlacedLine[]): Promise<void> {
    const texts = lines.map((line) => this.frame(JSON.stringify(toView(line)), line.position))
    await this.write(texts.join(''))
  }

  /** For a reader that asked for the end and could not keep up with it. */
  async missed(count: number, position: string): Promise<void> {
    const text = JSON.stringify({ missed: count, position })
    await this.write(
      this.format === 'sse' ? `event: missed\n${this.frame(text, position)}` : this.frame(text, position),
    )
  }

  private frame(text: string, position: string): string {
    return this.format === 'sse' ? `id: ${position}\ndata: ${text}\n\n` : `${text}\n`
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

function toView(line: PlacedLine): Record<string, unknown> {
  const { seq, at, level, stream, message, task, attempt, jobId, leaseId, position } = line
  return { seq, at: at.toISOString(), level, stream, message, task, attempt, jobId, leaseId, position }
}
