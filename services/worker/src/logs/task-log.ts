import type { Mask } from '../execution/masking.js'
import type { Lease, LogLevel, LogStream } from '../executors/executor.js'
import type { LogShipper } from './log-shipper.js'
import { splitLines } from './split-lines.js'

const levels: ReadonlySet<string> = new Set(['debug', 'info', 'warn', 'error'])
const streams: ReadonlySet<string> = new Set(['stdout', 'stderr', 'system'])

/** The lines of one lease, numbered from 1. A lost or handed-back lease uses up no attempt: the next one of it has lines of its own. */
export class TaskLog {
  private seq = 0
  private closed = false

  constructor(
    private readonly lease: Lease,
    private readonly mask: Mask,
    private readonly shipper: LogShipper,
  ) {}

  write(level: LogLevel, stream: LogStream, message: unknown): void {
    if (this.closed) return
    // Masked before it is split: a secret may span lines.
    const text = this.mask.text(typeof message === 'string' ? message : String(message))
    const at = timestamp()
    for (const line of splitLines(text)) {
      this.seq += 1
      this.shipper.push({
        taskId: this.lease.taskId,
        runId: this.lease.runId,
        projectId: this.lease.projectId,
        key: this.lease.key,
        attempt: this.lease.attempt,
        leaseId: this.lease.leaseId,
        seq: this.seq,
        at,
        level: levels.has(level) ? level : 'info',
        stream: streams.has(stream) ? stream : 'stdout',
        message: line,
      })
    }
  }

  /** An executor that goes on after its attempt has ended can add nothing behind the last line. */
  close(): void {
    this.closed = true
  }
}

let lastMs = 0
let lastText = ''

/** Formatting a date costs more than a no-op task; lines of one millisecond share it. */
function timestamp(): string {
  const now = Date.now()
  if (now !== lastMs) {
    lastMs = now
    lastText = new Date(now).toISOString()
  }
  return lastText
}
