import type { LogLine } from '@millrace/job-store'

const FIRST = 100
const MIN = 16
const MAX = 1_000
const TARGET_BYTES = 1_048_576

/** Roughly, in memory. */
export const sizeOf = (page: readonly LogLine[]): number =>
  page.reduce((sum, line) => sum + line.message.length + 256, 0)

/**
 * Lines to ask for at once. A line may have 64 KiB: a thousand of those for each of two hundred slow readers would be
 * 12 GiB, so the size of the last page decides the next.
 */
export class PageSize {
  private current = FIRST

  get lines(): number {
    return this.current
  }

  observe(page: readonly LogLine[]): void {
    if (page.length === 0) return
    const bytes = sizeOf(page)
    const fitting = Math.trunc((TARGET_BYTES * page.length) / bytes)
    this.current = Math.min(MAX, Math.max(MIN, Math.min(fitting, this.current * 4)))
  }
}
