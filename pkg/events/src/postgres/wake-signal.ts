/** A wake that comes while nobody waits is kept, so none is lost between looking and waiting. */
export class WakeSignal {
  private pending = false
  private resume: (() => void) | undefined

  wake(): void {
    this.pending = true
    this.resume?.()
  }

  async wait(): Promise<void> {
    if (!this.pending) {
      await new Promise<void>((resolve) => {
        this.resume = resolve
      })
      this.resume = undefined
    }
    this.pending = false
  }
}
