import type { worker } from '@millrace/contracts'
import type { WorkerContext } from '../context.js'

export function getStatus(ctx: WorkerContext) {
  return async (): Promise<worker.GetStatusResponse> => ({
    workerId: ctx.worker.workerId,
    state: ctx.worker.state,
    concurrency: ctx.config.concurrency,
    executors: [...ctx.executors.keys()],
    running: ctx.worker.executions().map(({ lease, startedAtMs }) => ({
      taskId: lease.taskId,
      runId: lease.runId,
      key: lease.key,
      uses: lease.uses,
      attempt: lease.attempt,
      startedAt: new Date(startedAtMs).toISOString(),
    })),
  })
}
