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
    await this.write(encodeLines(lines, this.format))
  }

  /** Lines that were encoded in this writer's format, perhaps for many. */
  async encoded(bytes: Buffer): Promise<void> {
    await this.write(bytes)
  }

  /** For a reader that asked for the end and could not keep up with it. */
  async missed(count: number, position: string): Promise<void> {
    const text = JSON.stringify({ missed: count, position })
    await this.write(
      this.format === 'sse' ? `event: missed\n${frame(text, position, 'sse')}` : frame(text, position, 'ndjson'),
    )
  }

  keepAlive(): void {
    if (!this.res.writableNeedDrain && !this.signal.aborted)
      this.res.write(this.format === 'sse' ? ': keep-alive\n\n' : '\n')
  }

  /** A comment, for a client that wants to tell an end from a lost connection; every event is a line and nothing else. */
  async end(): Promise<void> {
    if (this.format === 'sse') await this.write(': end\n\n')
  }

  private async write(text: string | Buffer): Promise<void> {
    if (this.signal.aborted || text.length === 0) return
    if (this.res.write(text)) return
    await once(this.res, 'drain', { signal: this.signal }).catch((error: unknown) => {
      if (!this.signal.aborted) throw error
    })
  }
}

export const encodeLines = (lines: readonly PlacedLine[], format: LogFormat): string =>
  lines.map((line) => frame(JSON.stringify(toView(line)), line.position, format)).join('')

function frame(text: string, position: string, format: LogFormat): string {
  return format === 'sse' ? `id: ${position}\ndata: ${text}\n\n` : `${text}\n`
}

function toView(line: PlacedLine): Record<string, unknown> {
  const { seq, at, level, stream, message, task, attempt, jobId, leaseId, position } = line
  return { seq, at: at.toISOString(), level, stream, message, task, attempt, jobId, leaseId, position }
}
