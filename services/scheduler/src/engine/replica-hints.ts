import type { Logger } from '@millrace/logger'
import type { StopRequest } from './engine-context.js'
import type { Environment } from './environment.js'

/** NOTIFY takes 8,000 bytes. */
const MAX_BYTES = 7000
const MAX_REASON = 200
/** A NOTIFY serialises with other commits: under load one of them speaks for all that was queued meanwhile. */
const QUEUE_HINT_MS = 10

type QueueKind = 'plain' | 'limited'

interface Payload {
  readonly from: string
  readonly control?: true
  readonly queued?: QueueKind
  readonly stop?: [session: string, task: string, lease: string, reason: string][]
}

/** What another replica says. */
export interface ReplicaHint {
  /** Settings of queues or states of workers changed. */
  readonly control: boolean
  /** Tasks wait in the queue. */
  readonly queued: QueueKind | null
  readonly stop: readonly StopRequest[]
}

/**
 * The one channel between replicas: settings that changed, leases to stop whose command stream is not here, tasks that no
 * worker of this replica took. Whatever is lost on the way is found by a poll.
 */
export class ReplicaHints {
  private readonly stops: StopRequest[] = []
  private controlChanged = false
  private queueKind: QueueKind | null = null
  private queueHintAt = Number.NEGATIVE_INFINITY
  private sending: Promise<void> | null = null
  private cancelTimer: (() => void) | null = null

  constructor(
    private readonly send: (payload: string) => Promise<void>,
    private readonly id: string,
    private readonly env: Environment,
    private readonly logger: Logger,
  ) {}

  changed(): void {
    this.controlChanged = true
    this.sending ??= this.run()
  }

  stop(requests: readonly StopRequest[]): void {
    this.stops.push(...requests)
    this.sending ??= this.run()
  }

  queued(limited: boolean): void {
    if (limited || this.queueKind === null) this.queueKind = limited ? 'limited' : 'plain'
    if (this.sending === null) this.sendQueued()
  }

  /** What a payload says; undefined when it is this replica's own, or nobody's. */
  read(payload: string): ReplicaHint | undefined {
    try {
      const { from, control, queued = null, stop = [] } = JSON.parse(payload) as Payload
      if (from === this.id) return undefined
      const requests = stop.map(([sessionId, taskId, leaseId, reason]) => ({ sessionId, taskId, leaseId, reason }))
      return { control: control === true, queued, stop: requests }
    } catch {
      return undefined
    }
  }

  async close(): Promise<void> {
    this.clearTimer()
    await this.sending
    this.clearTimer()
  }

  private sendQueued(): void {
    if (this.cancelTimer !== null) return
    const waitMs = this.queueHintAt + QUEUE_HINT_MS - this.env.now()
    if (waitMs <= 0) this.sending ??= this.run()
    else
      this.cancelTimer = this.env.after(waitMs, () => {
        this.cancelTimer = null
        this.sending ??= this.run()
      })
  }

  /** One message at a time: what comes meanwhile goes in the next. */
  private async run(): Promise<void> {
    try {
      do await this.send(this.next())
      while (this.controlChanged || this.stops.length > 0)
    } catch (error) {
      this.logger.warn({ err: error }, 'other replicas will learn by their poll')
    } finally {
      this.sending = null
      if (this.queueKind !== null) this.sendQueued()
    }
  }

  private next(): string {
    const hint: Payload = {
      from: this.id,
      ...(this.controlChanged ? { control: true } : {}),
      ...(this.queueKind === null ? {} : { queued: this.queueKind }),
    }
    if (this.queueKind !== null) this.queueHintAt = this.env.now()
    this.controlChanged = false
    this.queueKind = null
    const stop: NonNullable<Payload['stop']> = []
    let bytes = 0
    for (let request = this.stops[0]; request; request = this.stops[0]) {
      const { sessionId, taskId, leaseId, reason } = request
      const entry: (typeof stop)[number] = [sessionId, taskId, leaseId, reason.slice(0, MAX_REASON)]
      bytes += Buffer.byteLength(JSON.stringify(entry)) + 1
      if (bytes > MAX_BYTES) break
      this.stops.shift()
      stop.push(entry)
    }
    return JSON.stringify(stop.length > 0 ? { ...hint, stop } : hint)
  }

  private clearTimer(): void {
    this.cancelTimer?.()
    this.cancelTimer = null
  }
}
