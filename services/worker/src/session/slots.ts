/**
 * What may still be asked for: capacity less what executes, less what open calls may bring. Outlives sessions, since an
 * executor of a lost session may still be letting go.
 */
export class Slots {
  private executing = 0
  private promised = 0
  private idleWaiters: (() => void)[] = []

  constructor(readonly capacity: number) {}

  get busy(): number {
    return this.executing
  }

  get free(): number {
    return Math.max(0, this.capacity - this.executing - this.promised)
  }

  /** Takes a slot for an execution, whatever calls are open; false when all are busy. */
  occupy(): boolean {
    if (this.executing >= this.capacity) return false
    this.executing += 1
    return true
  }

  vacate(): void {
    this.executing -= 1
    if (this.executing === 0) for (const wake of this.idleWaiters.splice(0)) wake()
  }

  /** Reserves every free slot for one call and answers how many. */
  promiseAll(): number {
    const count = this.free
    this.promised += count
    return count
  }

  settle(count: number): void {
    this.promised -= count
  }

  /** Resolves true once nothing executes, false when the time is over first. */
  async idle(timeoutMs: number): Promise<boolean> {
    if (this.executing === 0) return true
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      this.idleWaiters.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
    return this.executing === 0
  }
}
