type Close = () => Promise<void> | void

/** What a service made itself, as against what it was handed: closed with it, the last made first. */
export class Owned {
  private readonly closing: Close[] = []

  add<T>(made: T, close: (made: T) => Promise<void> | void): T {
    this.closing.push(() => close(made))
    return made
  }

  /** All of it, each whatever happens to the others. */
  async close(): Promise<void> {
    const failures: unknown[] = []
    for (const close of this.closing.splice(0).reverse()) {
      try {
        await close()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
