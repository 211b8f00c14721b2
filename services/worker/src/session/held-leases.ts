import type { Execution } from '../execution/execution.js'

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

  list(): { taskId: string; leaseId: string }[] {
    return Array.from(this.byLeaseId, ([leaseId, { taskId }]) => ({ taskId, leaseId }))
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
