import { randomBytes } from 'node:crypto'

export type ChangeKind = 'run' | 'task'

export interface Change {
  kind: ChangeKind
  /** Of the run or task itself. */
  id: string
  rev: number
  status: string
  workflow: string
  labels: Readonly<Record<string, string>>
  /** JSON text, as readers get it. */
  data: string
}

export interface LoggedChange extends Change {
  seq: number
}

const maxEntries = 5_000
const maxBytes = 8 * 1024 * 1024

/**
 * The latest changes of a project, for those who watch it: each reader keeps only its place in it. A place is named by
 * `<epoch>-<seq>`; what another process gave out, or what has been dropped since, cannot be resumed.
 */
export class ProjectLog {
  private epoch = randomBytes(6).toString('hex')
  private entries: LoggedChange[] = []
  private bytes = 0
  private last = 0
  /** The newest rev of each run and task: events come again, and two of them may lead to the same reading. */
  private readonly revs = new Map<string, number>()
  private readonly waiting = new Set<() => void>()

  get end(): string {
    return this.nameOf(this.last)
  }

  nameOf(seq: number): string {
    return `${this.epoch}-${seq}`
  }

  add(change: Change): void {
    const known = this.revs.get(change.id)
    if (known !== undefined && known >= change.rev) return
    this.remember(change)
    this.last += 1
    this.entries.push({ ...change, seq: this.last })
    this.bytes += change.data.length
    while (this.entries.length > maxEntries || this.bytes > maxBytes)
      this.bytes -= this.entries.shift()?.data.length ?? 0
    this.wake()
  }

  /** Something may have been missed: every reader has to start anew. */
  restart(): void {
    this.epoch = randomBytes(6).toString('hex')
    this.entries = []
    this.bytes = 0
    this.revs.clear()
    this.wake()
  }

  /** What followed this place; undefined when that cannot be told. */
  after(place: string, limit: number): readonly LoggedChange[] | undefined {
    const [epoch, text = ''] = place.split('-', 2)
    const seq = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    const first = this.entries[0]?.seq ?? this.last + 1
    if (epoch !== this.epoch || !(seq + 1 >= first && seq <= this.last)) return undefined
    const start = seq + 1 - first
    return this.entries.slice(start, start + limit)
  }

  /** Resolves at the next change, or when the signal is aborted. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.waiting.add(done)
      signal.addEventListener('abort', done, { once: true })
      if (signal.aborted) done()
    })
  }

  private remember({ id, rev }: Change): void {
    this.revs.delete(id)
    this.revs.set(id, rev)
    const [oldest] = this.revs.keys()
    if (this.revs.size > maxEntries && oldest !== undefined) this.revs.delete(oldest)
  }

  private wake(): void {
    for (const done of [...this.waiting]) done()
  }
}
