import { Chance } from './chance.js'

/** Whoever can die or stand still: a process. */
export interface Actor {
  readonly name: string
  alive: boolean
  /** Stands still until then. */
  frozenUntil: number
}

interface Happening {
  readonly at: number
  /** Chance orders what happens at once. */
  readonly order: number
  readonly actor: Actor | null
  readonly label: string
  readonly happen: () => void
  off: boolean
}

const earlier = (a: Happening, b: Happening): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** Time begins here, for all clocks. */
const EPOCH_MS = Date.UTC(2030, 0, 1)

/**
 * Virtual time and one list of all that is going to happen. Nothing in a simulation runs but what this takes off the
 * list, one after another, and whatever promises follow from that are settled before the next: the seed decides all.
 */
export class World {
  readonly chance: Chance
  now = 0
  /** How far the database's clock has been moved. */
  databaseSkew = 0
  steps = 0
  readonly trace: string[] | null
  private hash = 0x811c9dc5
  private readonly heap: Happening[] = []

  constructor(seed: number, tracing: boolean) {
    this.chance = new Chance(seed)
    this.trace = tracing ? [] : null
  }

  get wallMs(): number {
    return EPOCH_MS + this.now
  }

  get databaseMs(): number {
    return EPOCH_MS + this.databaseSkew + Math.round(this.now * 1000) / 1000
  }

  after(delayMs: number, actor: Actor | null, label: string, happen: () => void): () => void {
    const at = this.now + Math.max(0, delayMs)
    const entry: Happening = { at, order: this.chance.real(), actor, label, happen, off: false }
    this.push(entry)
    return () => {
      entry.off = true
    }
  }

  sleep(delayMs: number, actor: Actor, label: string): Promise<void> {
    return new Promise((resolve) => {
      this.after(delayMs, actor, label, resolve)
    })
  }

  note(text: string): void {
    for (let i = 0; i < text.length; i += 1) this.hash = Math.imul(this.hash ^ text.charCodeAt(i), 0x01000193)
    this.trace?.push(`${this.now.toFixed(3).padStart(12)} ${text}`)
  }

  /** The same for the same history. */
  get traceHash(): string {
    return (this.hash >>> 0).toString(16).padStart(8, '0')
  }

  /** Lets things happen until `done`, or nothing is left, or the time is over. */
  run(done: () => boolean, untilMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = () => {
        try {
          if (done() || !this.step(untilMs)) resolve()
          // Everything that was promised is settled before this comes round.
          else setImmediate(turn)
        } catch (error) {
          reject(error)
        }
      }
      turn()
    })
  }

  private step(untilMs: number): boolean {
    for (;;) {
      const next = this.pop()
      if (!next) return false
      if (next.off || (next.actor && !next.actor.alive)) continue
      if (next.at > untilMs) {
        this.push(next)
        this.now = untilMs
        return false
      }
      this.now = Math.max(this.now, next.at)
      if (next.actor && next.actor.frozenUntil > this.now) {
        this.push(Object.assign(next, { at: next.actor.frozenUntil }))
        continue
      }
      this.steps += 1
      if (next.label !== '') this.note(next.label)
      next.happen()
      return true
    }
  }

  private push(entry: Happening): void {
    const { heap } = this
    let at = heap.length
    heap.push(entry)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent] as Happening
      if (!earlier(entry, above)) break
      heap[at] = above
      at = parent
    }
    heap[at] = entry
  }

  private pop(): Happening | undefined {
    const { heap } = this
    const top = heap[0]
    const last = heap.pop()
    if (!top || !last || heap.length === 0) return top
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= heap.length) break
      const right = heap[child + 1]
      if (right && earlier(right, heap[child] as Happening)) child += 1
      const smaller = heap[child] as Happening
      if (!earlier(smaller, last)) break
      heap[at] = smaller
      at = child
    }
    heap[at] = last
    return top
  }
}
