import type { scheduler } from '@millrace/contracts'
import { toAppError } from '@millrace/errors'
import type { CallContext, DuplexHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { workerOf } from './caller.js'
import { leaseTasks } from './lease-tasks.js'
import { reportResults } from './report-results.js'

type Request = scheduler.WorkRequest__Output

/** LeaseTasks and ReportResults, by the same code as the calls: a session is checked with each message. */
export function work(ctx: AppContext): DuplexHandler<Request, scheduler.WorkResponse> {
  const lease = leaseTasks(ctx)
  const report = reportResults(ctx)
  return (stream) => {
    // Also for messages that reach neither: nobody else holds such a stream open.
    workerOf(stream)
    const open = new Map<number, AbortController>()
    stream.signal.addEventListener('abort', () => {
      for (const message of open.values()) message.abort()
    })
    const answer = async (request: Request, call: CallContext): Promise<scheduler.WorkResponse> => {
      if (request.call === 'report' && request.report) return { report: await report(request.report, call) }
      if (request.call === 'lease' && request.lease) return { lease: await lease(request.lease, call) }
      // A newer worker may ask for more; it is told, and asks otherwise.
      return { failure: { code: 'malformed', reason: 'unknown_message', message: 'The message is not known.' } }
    }
    return async (request) => {
      const { id } = request
      if (request.call === 'cancel') {
        open.get(id)?.abort()
        return undefined
      }
      const cancelling = new AbortController()
      open.set(id, cancelling)
      try {
        return { id, ...(await answer(request, callOf(ctx, stream, request, cancelling.signal))) }
      } catch (error) {
        const { code, reason, message, retryable } = toAppError(error)
        if (code === 'internal') ctx.logger.error({ err: error, call: request.call }, 'a message of a worker failed')
        return { id, failure: { code, reason, message, retryable } }
      } finally {
        open.delete(id)
      }
    }
  }
}

/** The message as if it were a call of its own. */
function callOf(ctx: AppContext, stream: CallContext, { timeoutMs }: Request, cancelled: AbortSignal): CallContext {
  const { identity, service, draining, metadata, peer } = stream
  return {
    ...(identity === undefined ? {} : { identity }),
    ...(service === undefined ? {} : { service }),
    ...{ draining, metadata, peer },
    signal: cancelled,
    deadline: timeoutMs > 0 ? ctx.env.wallMs() + timeoutMs : Number.POSITIVE_INFINITY,
  }
}
