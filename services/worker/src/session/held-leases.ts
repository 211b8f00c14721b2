import type { scheduler } from '@millrace/contracts'
import type { Execution, ProgressReport } from '../execution/execution.js'

/** Every lease that is this worker's: executing, or with a result that the scheduler has not answered yet. */
export class HeldLeases {
  private readonly byLeaseId = new Map<string, { taskId: string; execution: Execution | undefined }>()

  get size(): number {
    return this.byLeaseId.size
  }

  has(leaseId: string): boolean {
    return this.byLeaseId.has(leaseId)
  }

  add(leaseId: string, taskId: string, execution?: Execution): void {
    this.byLeaseId.set(leaseId, { taskId, execution })
  }

  execution(leaseId: string): Execution | undefined {
    return this.byLeaseId.get(leaseId)?.execution
  }

  remove(leaseId: string): void {
    this.byLeaseId.delete(leaseId)
  }

  /** As a heartbeat names them; what it said of their progress is settled once it was answered. */
  report(): { held: scheduler.HeldLease[]; settle(): void } {
    const reports: [Execution, ProgressReport][] = []
    const held = Array.from(this.byLeaseId, ([leaseId, { taskId, execution }]) => {
      const report = execution?.unsentProgress()
      if (execution === undefined || report === undefined) return { taskId, leaseId }
      reports.push([execution, report])
      return { taskId, leaseId, progress: report.said }
    })
    return {
      held,
      settle: () => {
        for (const [execution, report] of reports) execution.progressSent(report)
      },
    }
  }

  executions(): Execution[] {
    const executions: Execution[] = []
    for (const { execution } of this.byLeaseId.values()) if (execution) executions.push(execution)
    return executions
  }

  clear(): void {
    this.byLeaseId.clear()
  }
}
