import type { worker } from '@millrace/contracts'
import type { WorkerContext } from '../context.js'

export function drain(ctx: WorkerContext) {
  return async (request: worker.DrainRequest__Output): Promise<worker.DrainResponse> => {
    const { drainTimeoutMs } = ctx.config
    const drained = await ctx.worker.drain(request.timeoutMs > 0 ? request.timeoutMs : drainTimeoutMs)
    return { drained }
  }
}
