import { FairQueue } from './fair-queue.js'
import { OffThreadError } from './off-thread-error.js'
import { Thread, type ThreadOptions } from './thread.js'

export interface ThreadPoolOptions extends ThreadOptions {
  threads: number
  maxQueued: number
}

export interface RunOptions {
  deadlineMs: number
  /** Whoever the task is for: those who wait take turns. */
  key: string
}

interface Job extends RunOptions {
  task: unknown
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * Runs what a user's text may make expensive outside the event loop. A thread that misses its deadline or its memory is
 * ended and replaced; nobody else's task is lost by it.
 */
export class ThreadPool {
  readonly #idle: Thread[] = []
  readonly #queue = new FairQueue<Job>()
  readonly #busy = new Set<Thread>()
  #closed = false

  constructor(private readonly options: ThreadPoolOptions) {}

  run(task: unknown, options: RunOptions): Promise<unknown> {
    if (this.#closed) return Promise.reject(new OffThreadError('closed', 'the pool has been closed'))
    if (this.#queue.size >= this.options.maxQueued) {
      return Promise.reject(new OffThreadError('busy', `${this.#queue.size} tasks wait already`))
    }
    return new Promise((resolve, reject) => {
      this.#queue.push(options.key, { ...options, task, resolve, reject })
      this.#next()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    const error = new OffThreadError('closed', 'the pool has been closed')
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) job.reject(error)
    await Promise.all([...this.#idle, ...this.#busy].map((thread) => thread.close()))
  }

  #next(): void {
    if (this.#busy.size >= this.options.threads) return
    const job = this.#queue.shift()
    if (job === undefined) return
    const thread = this.#idle.pop() ?? new Thread(this.options)
    this.#busy.add(thread)
    thread
      .run(job.task, job.deadlineMs)
      .finally(() => this.#release(thread))
      .then(job.resolve, job.reject)
  }

  #release(thread: Thread): void {
    this.#busy.delete(thread)
    if (thread.usable && !this.#closed) this.#idle.push(thread)
    this.#next()
  }
}
