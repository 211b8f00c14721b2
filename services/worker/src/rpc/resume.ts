import type { worker } from '@millrace/contracts'
import type { WorkerContext } from '../context.js'

export function resume(ctx: WorkerContext) {
  return async (): Promise<worker.ResumeResponse> => {
    ctx.worker.resume()
    return {}
  }
}
