import { setTimeout as delay } from 'node:timers/promises'
import { crashPoint } from '@millrace/crash-point'
import type { Logger } from '@millrace/logger'
import { type Batcher, createBatcher, failFaulty, type Pool, retryable } from '@millrace/postgres'
import type { DeliveryConfig } from '../config.js'
import { type ClaimedDelivery, claimDeliveries, releaseClaim, untilNextDelivery } from '../db/claim-deliveries.js'
import { takeItems } from '../db/digests.js'
import { pruneDeliveries } from '../db/prune-deliveries.js'
import { type Attempt, endedReason, nothingToSend } from '../domain/delivery.js'
import { deliveryMetrics } from '../telemetry.js'
import { EndpointGate } from './endpoint-gate.js'
import { recordTries, type Tried } from './record.js'
import { channelOf, type Send } from './send.js'

export interface DeliveryLoopDeps {
  pool: Pool
  logger: Logger
  send: Send
  config: DeliveryConfig
  /** Called after tries were recorded: events lie in the log. */
  onRecorded: () => void
}

const pruneEveryMs = 10 * 60_000
const recordingTries = 3
/** So many polls pass while nothing is due: what another replica made is sent by it. */
const quietPolls = 10

/**
 * Takes due deliveries and sends them, as many at once as the limits allow. A wake-up makes it look at once; the poll is
 * what it relies on. Between claim and record nothing is held but the claim: a process that dies there leaves a row that
 * falls due again when the claim ends, and is sent again under the same id.
 */
export class DeliveryLoop {
  private running = false
  private looking: Promise<void> | undefined
  private pollAgain = false
  private poll: NodeJS.Timeout | undefined
  private prune: NodeJS.Timeout | undefined
  private readonly gate: EndpointGate
  private readonly inFlight = new Set<Promise<void>>()
  private readonly abort = new AbortController()
  private readonly recorder: Batcher<Tried, void>

  constructor(private readonly deps: DeliveryLoopDeps) {
    // Half a timeout: whoever takes that long is not well.
    this.gate = new EndpointGate(deps.config.maxPerEndpoint, deps.config.timeoutMs / 2)
    // One that cannot be stored must not make the others be sent again.
    const isFault = (error: unknown) => !retryable(error)
    this.recorder = createBatcher({
      run: (batch) => failFaulty(batch, (part) => this.record(part), isFault),
      maxBatch: 200,
    })
  }

  start(): void {
    this.running = true
    this.prune = setInterval(() => void this.pruneOld(), pruneEveryMs).unref()
    this.wake()
  }

  /** Lets what is being sent finish; what takes longer than `graceMs` is cut off and given back unsent. */
  async stop(graceMs: number): Promise<void> {
    this.running = false
    clearInterval(this.prune)
    await this.looking
    clearTimeout(this.poll)
    const cutOff = setTimeout(() => this.abort.abort(), graceMs)
    await Promise.all(this.inFlight)
    clearTimeout(cutOff)
    await this.recorder.close()
  }

  wake(): void {
    if (!this.running) return
    this.pollAgain = true
    clearTimeout(this.poll)
    this.looking ??= this.lookAndRest().finally(() => {
      this.looking = undefined
      // A wake-up between the last look and here must not be lost.
      if (this.pollAgain) this.wake()
    })
  }

  /** The next look is when the next delivery falls due, and not much later in any case. */
  private async lookAndRest(): Promise<void> {
    const { pollMs } = this.deps.config
    await this.look()
    if (!this.running || this.pollAgain) return
    const inMs = await untilNextDelivery(this.deps.pool).catch(() => 0)
    // What is due already waits for an endpoint's place, and is looked at again when there is one.
    const pauseMs = inMs <= 0 ? pollMs : Math.min(Math.ceil(inMs) + 1, pollMs * quietPolls)
    if (this.running) this.poll = setTimeout(() => this.wake(), pauseMs)
  }

  private async look(): Promise<void> {
    while (this.running && this.pollAgain) {
      this.pollAgain = false
      const limit = this.deps.config.maxConcurrent - this.inFlight.size
      if (limit <= 0) return
      const claimed = await this.claim(limit)
      for (const delivery of claimed) this.begin(delivery)
      if (claimed.length === limit) this.pollAgain = true
    }
  }

  private async claim(limit: number): Promise<ClaimedDelivery[]> {
    const { maxPerEndpoint, claimMs } = this.deps.config
    try {
      return await claimDeliveries(this.deps.pool, { limit, maxPerEndpoint, claimMs, busy: this.gate.taken() })
    } catch (error) {
      this.deps.logger.warn({ err: error }, 'due deliveries could not be claimed; the next poll tries again')
      this.pollAgain = false
      return []
    }
  }

  private begin(delivery: ClaimedDelivery): void {
    const work = this.deliver(delivery)
      .catch((error: unknown) =>
        this.deps.logger.error(
          { err: error, notificationId: delivery.id },
          'a try was not recorded; it will be repeated',
        ),
      )
      .finally(() => {
        this.inFlight.delete(work)
        this.wake()
      })
    this.inFlight.add(work)
  }

  private async deliver(delivery: ClaimedDelivery): Promise<void> {
    if (endedReason(delivery.kind, delivery) !== undefined) {
      return this.recorder.submit({ delivery, attempt: undefined })
    }
    crashPoint('notification.claimed')
    const attempt = await this.sendCounted(delivery)
    if (attempt === undefined) return this.recorder.submit({ delivery, attempt: nothingToSend(new Date()) })
    crashPoint('notification.sent')
    if (!attempt.ok && this.abort.signal.aborted) {
      return releaseClaim(this.deps.pool, delivery.id, delivery.claimToken)
    }
    const channel = channelOf(delivery)
    deliveryMetrics.attempts.inc({ channel, result: attempt.ok ? 'delivered' : 'failed' })
    deliveryMetrics.latency.observe({ channel }, attempt.latencyMs / 1000)
    return this.recorder.submit({ delivery, attempt })
  }

  /** A digest is written when it is first sent; undefined when there is nothing left to tell. */
  private async filled(delivery: ClaimedDelivery): Promise<ClaimedDelivery | undefined> {
    if (delivery.kind !== 'digest' || delivery.body !== '') return delivery
    const body = await takeItems(this.deps.pool, delivery.id, delivery.subscriptionId)
    return body === undefined ? undefined : { ...delivery, body }
  }

  /**
   * The endpoint has its place back as soon as it answered; recording is our own affair. The place is taken before anything
   * is waited for: the next claim may follow at once, and asks who is busy.
   */
  private async sendCounted(delivery: ClaimedDelivery): Promise<Attempt | undefined> {
    const started = performance.now()
    this.gate.enter(delivery.endpoint)
    try {
      const ready = await this.filled(delivery)
      return ready && (await this.deps.send(ready, this.abort.signal))
    } finally {
      this.gate.leave(delivery.endpoint, performance.now() - started)
      this.wake()
    }
  }

  private async record(batch: readonly Tried[]): Promise<undefined[]> {
    await this.recordWithRetries(batch)
    crashPoint('notification.recorded')
    this.deps.onRecorded()
    return batch.map(() => undefined)
  }

  private async recordWithRetries(batch: readonly Tried[]): Promise<void> {
    const { config, pool } = this.deps
    const policy = {
      retryScheduleMs: config.retryScheduleMs,
      afterFailures: config.disableAfterFailures,
      afterMs: config.disableAfterMs,
    }
    for (let tries = 1; ; tries++) {
      try {
        return await recordTries(pool, policy, batch)
      } catch (error) {
        if (tries >= recordingTries || !retryable(error)) throw error
        await delay(100 * tries)
      }
    }
  }

  private async pruneOld(): Promise<void> {
    try {
      while (this.running && (await pruneDeliveries(this.deps.pool, this.deps.config.retentionMs)));
    } catch (error) {
      this.deps.logger.warn({ err: error }, 'old deliveries were not pruned')
    }
  }
}
