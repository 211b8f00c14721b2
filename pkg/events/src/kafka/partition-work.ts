/** What is being handled of one partition, one batch after another, whatever happens to the group meanwhile. */
export class PartitionWork {
  private tail: Promise<unknown> = Promise.resolve()
  private count = 0

  get busy(): boolean {
    return this.count > 0
  }

  add(work: () => Promise<void>): Promise<void> {
    this.count += 1
    const done = this.tail.then(work).finally(() => {
      this.count -= 1
    })
    this.tail = done.catch(() => undefined)
    return done
  }

  async idle(): Promise<void> {
    await this.tail
  }
}

/** Whether it ended, either way, within the time. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const ended = work.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([ended, late])
  } finally {
    clearTimeout(timer)
  }
}
