import type { control as proto } from '@millrace/contracts'
import { type AppError, conflict, notFound, unprocessable } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../../context.js'
import { findWorker, setSessionState } from '../../db/workers.js'
import { readerProject } from '../caller.js'
import { recordChange } from './record-change.js'
import { toProtoWorker } from './to-proto.js'

const commands = {
  pause: { state: 'paused', action: 'worker.paused' },
  resume: { state: 'active', action: 'worker.resumed' },
  drain: { state: 'draining', action: 'worker.drained' },
} as const

const isCommand = (text: string): text is keyof typeof commands => Object.hasOwn(commands, text)

const absent = (): AppError => notFound('worker_not_found', 'There is no such worker.')

export function commandWorker(
  ctx: AppContext,
): UnaryHandler<proto.CommandWorkerRequest__Output, proto.CommandWorkerResponse> {
  return async (request, call) => {
    const projectId = readerProject(call, request.projectId)
    const { id, withShared, command, requester } = request
    if (!isCommand(command)) throw unprocessable('invalid_request', 'A worker is paused, resumed or drained.')
    const { state, action } = commands[command]
    await withTransaction(ctx.pool, async (tx) => {
      const worker = await findWorker(tx, id, projectId, withShared)
      if (!worker) throw absent()
      if (worker.state === 'lost') throw conflict('worker_lost', 'The worker has fallen silent: nothing reaches it.')
      if (!(await setSessionState(tx, worker.session_id, state))) {
        throw conflict('worker_draining', 'The worker is draining, or has just ended: it only ends.')
      }
      await recordChange(tx, action, `worker:${id}`, projectId, requester)
    })
    ctx.bus.hint()
    await ctx.engine.control.changed()
    const worker = await findWorker(ctx.pool, id, projectId, withShared)
    if (!worker) throw absent()
    return { worker: toProtoWorker(worker) }
  }
}
