import type { scheduler } from '@millrace/contracts'
import { AppError, cancelled, deadlineExceeded, isErrorCode, unavailable } from '@millrace/errors'
import type { CallOptions, Duplex } from '@millrace/grpc'
import type { DispatchClient } from './dispatch-client.js'

type Calls = Pick<DispatchClient, 'leaseTasks' | 'reportResults'>
type Answer = scheduler.WorkResponse__Output
type Message = Pick<scheduler.WorkRequest, 'report' | 'lease'>

interface Pending {
  resolve(answer: Answer): void
  reject(error: AppError): void
  /** Asks the same by a call of its own. */
  askOtherwise(): void
}

interface Stream {
  duplex: Duplex<scheduler.WorkRequest>
  pending: Map<number, Pending>
  openedAt: number
  /** It has answered at least once: it works here. */
  works: boolean
  retired: boolean
}

/** Well before the token that opened a stream expires, and the scheduler ends it. */
const renewMs = 10_000
/** Where a stream broke before its first answer, calls are made instead for so long. */
const callsInsteadMs = 5_000

/**
 * LeaseTasks and ReportResults on one lasting stream: a message costs a quarter of a call (0.13 instead of 0.55 ms, 180
 * instead of 823 µs of CPU on the two sides). To whoever asks it is as if each were a call: it is answered, refused, given
 * up, too late or cut off with the connection, and who keeps results until they are answered sends them again.
 */
export class WorkStream implements Calls {
  private stream: Stream | undefined
  private lastId = 0
  private callsUntil = 0

  constructor(private readonly client: DispatchClient) {}

  readonly leaseTasks: Calls['leaseTasks'] = (lease, options = {}) => {
    const call = () => this.client.leaseTasks(lease, options)
    return this.ask({ lease }, call, (answer) => answer.lease, options)
  }

  readonly reportResults: Calls['reportResults'] = (report, options = {}) => {
    const call = () => this.client.reportResults(report, options)
    return this.ask({ report }, call, (answer) => answer.report, options)
  }

  close(): void {
    this.stream?.duplex.cancel()
  }

  private ask<T>(
    message: Message,
    call: () => Promise<T>,
    read: (answer: Answer) => T | null | undefined,
    { timeoutMs = 5_000, signal }: CallOptions,
  ): Promise<T> {
    if (performance.now() < this.callsUntil) return call()
    if (signal?.aborted) return Promise.reject(givenUp())
    const stream = this.current()
    const id = ++this.lastId
    return new Promise<T>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
        stream.pending.delete(id)
        if (stream.retired && stream.pending.size === 0) stream.duplex.end()
      }
      const giveUp = () => {
        stream.duplex.write({ id, cancel: true })
        leave()
        reject(givenUp())
      }
      // Who does not answer in time is taken for gone, with everything else that waits for it.
      const timer = setTimeout(() => {
        leave()
        reject(deadlineExceeded('deadline_exceeded', 'The scheduler did not answer in time.'))
        stream.duplex.cancel()
      }, timeoutMs)
      signal?.addEventListener('abort', giveUp, { once: true })
      stream.pending.set(id, {
        resolve: (answer) => {
          leave()
          const content = read(answer)
          if (content) resolve(content)
          else reject(failureOf(answer))
        },
        reject: (error) => {
          leave()
          reject(error)
        },
        askOtherwise: () => {
          leave()
          call().then(resolve, reject)
        },
      })
      stream.duplex.write({ id, ...message, timeoutMs })
    })
  }

  private current(): Stream {
    const { stream } = this
    if (stream && performance.now() - stream.openedAt < renewMs) return stream
    if (stream) retire(stream)
    this.stream = this.open()
    return this.stream
  }

  private open(): Stream {
    const pending = new Map<number, Pending>()
    const duplex = this.client.work({
      onMessage: (answer) => {
        stream.works = true
        pending.get(answer.id)?.resolve(answer)
      },
      onEnd: (error) => this.onEnd(stream, error),
    })
    const stream: Stream = { duplex, pending, openedAt: performance.now(), works: false, retired: false }
    return stream
  }

  /** Only what a message is answered says something about the session; why a stream ended does not. */
  private onEnd(stream: Stream, error: AppError | undefined): void {
    if (this.stream === stream) this.stream = undefined
    const waiting = [...stream.pending.values()]
    if (stream.works) {
      for (const each of waiting)
        each.reject(unavailable('work_stream_ended', 'The stream to the scheduler ended.', error))
    } else {
      if (waiting.length > 0) this.callsUntil = performance.now() + callsInsteadMs
      for (const each of waiting) each.askOtherwise()
    }
  }
}

/** It takes no more messages and ends with the last answer that it owes. */
function retire(stream: Stream): void {
  stream.retired = true
  if (stream.pending.size === 0) stream.duplex.end()
}

const givenUp = () => cancelled('cancelled', 'The call was cancelled.')

function failureOf({ failure }: Answer): AppError {
  const {
    code = 'internal',
    reason = 'internal',
    message = 'The answer was not understood.',
    retryable,
  } = failure ?? {}
  return new AppError(isErrorCode(code) ? code : 'internal', reason, message, { retryable: retryable ?? false })
}
