import { Worker } from 'node:worker_threads'
import type { TaskMessage, ThreadMessage } from './messages.js'
import { OffThreadError } from './off-thread-error.js'

export interface ThreadOptions {
  script: URL
  memoryMb: number
}

const startTimeoutMs = 30_000
const outOfMemory = 'ERR_WORKER_OUT_OF_MEMORY'

interface Pending {
  resolve(result: unknown): void
  reject(error: Error): void
}

/** One thread and at most one task. After a failure it is of no more use: the pool makes another. */
export class Thread {
  readonly #worker: Worker
  readonly #ready: Promise<void>
  #pending: Pending | undefined
  #ended: OffThreadError | undefined

  constructor(options: ThreadOptions) {
    this.#worker = new Worker(options.script, {
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
      // What users send never needs the process's environment or its flags.
      env: {},
      execArgv: [],
    })
    // A thread that waits must not keep its process alive.
    this.#worker.unref()
    this.#ready = new Promise((resolve, reject) => {
      this.#pending = { resolve: () => resolve(), reject }
    })
    this.#ready.catch(() => undefined)
    this.#worker.on('message', (message: ThreadMessage) => this.#hear(message))
    this.#worker.on('error', (error: NodeJS.ErrnoException) => this.#end(failureOf(error)))
    this.#worker.on('exit', (code) => this.#end(new OffThreadError('crashed', `the thread ended with ${code}`)))
  }

  get usable(): boolean {
    return this.#ended === undefined
  }

  /** The deadline counts from when the thread has loaded its code. */
  async run(task: unknown, deadlineMs: number): Promise<unknown> {
    this.#worker.ref()
    try {
      await this.#within(this.#ready, startTimeoutMs, 'crashed')
      const result = this.#send(task)
      return await this.#within(result, deadlineMs, 'deadline')
    } finally {
      this.#worker.unref()
    }
  }

  /** Copying recurses: a task that is nested too deeply throws here, and the thread has heard nothing. */
  #send(task: unknown): Promise<unknown> {
    try {
      this.#worker.postMessage({ task } satisfies TaskMessage)
    } catch (cause) {
      throw new OffThreadError('memory', 'the task cannot be handed to a thread', { cause })
    }
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject }
    })
  }

  async close(): Promise<void> {
    this.#end(new OffThreadError('closed', 'the pool has been closed'))
    await this.#worker.terminate()
  }

  async #within<T>(work: Promise<T>, ms: number, failure: 'crashed' | 'deadline'): Promise<T> {
    if (this.#ended !== undefined) throw this.#ended
    const timer = setTimeout(() => {
      this.#end(new OffThreadError(failure, `the thread gave no answer within ${ms} ms`))
      void this.#worker.terminate()
    }, ms)
    try {
      return await work
    } finally {
      clearTimeout(timer)
    }
  }

  #hear(message: ThreadMessage): void {
    const pending = this.#pending
    this.#pending = undefined
    if (message.kind === 'ready') pending?.resolve(undefined)
    else if (message.kind === 'done') pending?.resolve(message.result)
    else pending?.reject(new OffThreadError('crashed', message.message))
  }

  #end(error: OffThreadError): void {
    this.#ended ??= error
    this.#pending?.reject(this.#ended)
    this.#pending = undefined
  }
}

function failureOf(error: NodeJS.ErrnoException): OffThreadError {
  const failure = error.code === outOfMemory ? 'memory' : 'crashed'
  return new OffThreadError(failure, error.message, { cause: error })
}
