export interface BatcherOptions<I, O> {
  /** Answers in the order of the items; an `ItemFailure` fails its item alone, a throw fails the whole batch. */
  run: (items: I[]) => Promise<(O | ItemFailure)[]>
  maxBatch?: number
  /** Batches in flight at once. Only with 1 are batches run in the order of submission. */
  concurrency?: number
}

export interface Batcher<I, O> {
  submit(item: I): Promise<O>
  /** Items not yet answered: waiting and in flight. */
  readonly size: number
  /** Resolves when nothing waits and nothing is in flight. */
  idle(): Promise<void>
  /** Refuses new items and resolves when those already accepted are answered. */
  close(): Promise<void>
}

export class ItemFailure {
  constructor(readonly error: unknown) {}
}

export class BatcherClosedError extends Error {
  override readonly name = 'BatcherClosedError'
  constructor() {
    super('the batcher is closed')
  }
}

interface Entry<I, O> {
  item: I
  resolve: (value: O) => void
  reject: (error: unknown) => void
}

/**
 * Batching by back-pressure, never by timer: what is submitted goes at the end of the same tick; what arrives while
 * it is in flight goes in the next batch. Alone, an item waits for nothing; under load, batches grow by themselves.
 */
export function createBatcher<I, O>(options: BatcherOptions<I, O>): Batcher<I, O> {
  return new BackPressureBatcher(options)
}

class BackPressureBatcher<I, O> implements Batcher<I, O> {
  private waiting: Entry<I, O>[] = []
  private unanswered = 0
  private batchesInFlight = 0
  private flushQueued = false
  private closed = false
  private idleWaiters: (() => void)[] = []
  private readonly maxBatch: number
  private readonly concurrency: number

  constructor(private readonly options: BatcherOptions<I, O>) {
    this.maxBatch = options.maxBatch ?? 1_000
    this.concurrency = options.concurrency ?? 1
    if (this.maxBatch < 1 || this.concurrency < 1) throw new RangeError('maxBatch and concurrency are at least 1')
  }

  get size(): number {
    return this.unanswered
  }

  submit(item: I): Promise<O> {
    if (this.closed) return Promise.reject(new BatcherClosedError())
    return new Promise<O>((resolve, reject) => {
      this.waiting.push({ item, resolve, reject })
      this.unanswered += 1
      this.queueFlush()
    })
  }

  idle(): Promise<void> {
    if (this.unanswered === 0) return Promise.resolve()
    return new Promise((resolve) => this.idleWaiters.push(resolve))
  }

  close(): Promise<void> {
    this.closed = true
    return this.idle()
  }

  /** A microtask, so that items submitted in one loop share a batch. */
  private queueFlush(): void {
    if (this.flushQueued || this.batchesInFlight >= this.concurrency) return
    this.flushQueued = true
    queueMicrotask(() => {
      this.flushQueued = false
      while (this.waiting.length > 0 && this.batchesInFlight < this.concurrency) {
        this.batchesInFlight += 1
        void this.runBatch(this.takeBatch())
      }
    })
  }

  private takeBatch(): Entry<I, O>[] {
    if (this.waiting.length > this.maxBatch) return this.waiting.splice(0, this.maxBatch)
    const batch = this.waiting
    this.waiting = []
    return batch
  }

  private async runBatch(batch: Entry<I, O>[]): Promise<void> {
    try {
      const results = await this.options.run(batch.map((entry) => entry.item))
      if (results.length !== batch.length) {
        throw new Error(`a batch of ${batch.length} items was answered with ${results.length} results`)
      }
      for (const [i, entry] of batch.entries()) {
        const result = results[i] as O | ItemFailure
        if (result instanceof ItemFailure) entry.reject(result.error)
        else entry.resolve(result)
      }
    } catch (error) {
      for (const entry of batch) entry.reject(error)
    }
    this.batchesInFlight -= 1
    this.unanswered -= batch.length
    this.queueFlush()
    if (this.unanswered === 0) for (const resolve of this.idleWaiters.splice(0)) resolve()
  }
}
