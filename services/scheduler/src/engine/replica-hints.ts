import type { Logger } from '@millrace/logger'
import type { StopRequest } from './engine-context.js'

/** NOTIFY takes 8,000 bytes. */
const MAX_BYTES = 7000
const MAX_REASON = 200

type Hint = { from: string; control?: true; stop?: [session: string, task: string, lease: string, reason: string][] }

/**
 * Tells other replicas that queues or workers changed, and which leases are to stop whose command stream is not here.
 * Whatever is lost on the way is made good: the board polls, and so does the courier.
 */
export class ReplicaHints {
  private readonly waiting: StopRequest[] = []
  private controlChanged = false
  private sending: Promise<void> | null = null

  constructor(
    private readonly send: (payload: string) => Promise<void>,
    private readonly id: string,
    private readonly logger: Logger,
  ) {}

  changed(): void {
    this.controlChanged = true
    this.sending ??= this.run()
  }

  stop(requests: readonly StopRequest[]): void {
    this.waiting.push(...requests)
    this.sending ??= this.run()
  }

  /** What a payload says; undefined when it is this replica's own, or nobody's. */
  read(payload: string): { control: boolean; stop: StopRequest[] } | undefined {
    try {
      const { from, control, stop } = JSON.parse(payload) as Hint
      if (from === this.id) return undefined
      const requests = (stop ?? []).map(([sessionId, taskId, leaseId, reason]) => ({
        sessionId,
        taskId,
        leaseId,
        reason,
      }))
      return { control: control === true, stop: requests }
    } catch {
      return undefined
    }
  }

  async idle(): Promise<void> {
    await this.sending
  }

  /** One message at a time: what comes meanwhile goes in the next. */
  private async run(): Promise<void> {
    try {
      while (this.controlChanged || this.waiting.length > 0) await this.send(this.next())
    } catch (error) {
      this.logger.warn({ err: error }, 'other replicas will learn of a command by their poll')
    } finally {
      this.sending = null
    }
  }

  private next(): string {
    const hint: Hint = { from: this.id, ...(this.controlChanged ? { control: true } : {}) }
    this.controlChanged = false
    const stop: NonNullable<Hint['stop']> = []
    let bytes = 0
    for (let request = this.waiting[0]; request; request = this.waiting[0]) {
      const { sessionId, taskId, leaseId, reason } = request
      const entry: (typeof stop)[number] = [sessionId, taskId, leaseId, reason.slice(0, MAX_REASON)]
      bytes += Buffer.byteLength(JSON.stringify(entry)) + 1
      if (bytes > MAX_BYTES) break
      this.waiting.shift()
      stop.push(entry)
    }
    return JSON.stringify(stop.length > 0 ? { ...hint, stop } : hint)
  }
}
