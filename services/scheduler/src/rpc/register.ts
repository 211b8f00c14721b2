import type { scheduler } from '@millrace/contracts'
import { builtIns } from '@millrace/definition'
import { unprocessable } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { EVERY_QUEUE } from '../domain/queue.js'
import { workerOf } from './caller.js'

const MAX_CONCURRENCY = 10_000
const MAX_TEXT = 100
const name = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

export function register(ctx: AppContext): UnaryHandler<scheduler.RegisterRequest__Output, scheduler.RegisterResponse> {
  return async (request, call) => {
    const owner = workerOf(call)
    const { projectId } = owner
    const executors = [...new Set(request.executors)]
    const queues = request.queues.length > 0 ? [...new Set(request.queues)] : ['default']
    const faults = faultsOf(request, projectId, executors, queues)
    if (faults.length > 0) throw unprocessable('invalid_worker', faults.join('; '))
    const session = await ctx.engine.sessions.register(owner, {
      name: request.name,
      executors,
      queues,
      concurrency: request.concurrency,
      sdk: plain(request.sdk),
      version: plain(request.version),
      paused: request.paused,
    })
    if (request.paused) await ctx.engine.control.changed()
    return {
      sessionId: session.id,
      sessionSecret: session.secret,
      workerId: session.workerId,
      leaseMs: ctx.config.leaseMs,
      heartbeatMs: Math.floor(ctx.config.leaseMs / 4),
    }
  }
}

/** Shown to people, and stored as it is. */
const plain = (text: string): string => text.replace(/[^\x20-\x7e]/g, '').slice(0, MAX_TEXT)

function faultsOf(
  request: scheduler.RegisterRequest__Output,
  projectId: string | null,
  executors: readonly string[],
  queues: readonly string[],
): string[] {
  const faults: string[] = []
  if (!name.test(request.name)) faults.push('the name must be letters, digits, dots, dashes and underscores')
  if (executors.length === 0 || executors.length > 1000) faults.push('a worker has 1 to 1,000 executors')
  if (executors.some((uses) => !name.test(uses))) faults.push('an executor has a bad name')
  if (projectId !== null) {
    const reserved = executors.filter((uses) => builtIns.has(uses))
    if (reserved.length > 0) faults.push(`reserved for the platform: ${reserved.join(', ')}`)
  }
  const known = (queue: string) => name.test(queue) || (queue === EVERY_QUEUE && projectId === null)
  if (queues.length > 100 || !queues.every(known)) faults.push('a queue has a bad name')
  if (request.concurrency < 1 || request.concurrency > MAX_CONCURRENCY) faults.push('concurrency is 1 to 10,000')
  return faults
}
