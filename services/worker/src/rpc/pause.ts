import type { worker } from '@millrace/contracts'
import type { WorkerContext } from '../context.js'

export function pause(ctx: WorkerContext) {
  return async (): Promise<worker.PauseResponse> => {
    ctx.worker.pause()
    return {}
  }
}
