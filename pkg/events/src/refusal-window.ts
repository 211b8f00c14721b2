import type { AuditEntry } from './record-audit.js'

/** What is refused is recorded, and refusing stays cheap: whoever is refused a million times makes a few entries. */
export const refusalBounds = {
  windowMs: 60_000,
  /** Different refusals of one actor that have an entry of their own in a window. */
  perActor: 20,
  /** Of all actors together. */
  inAll: 500,
} as const

interface Seen {
  readonly entry: AuditEntry
  again: number
}

/**
 * The refusals of one window. The first of a kind is an entry; its repetitions are counted and become one more entry when
 * the window ends, and what is beyond the bounds is counted together.
 */
export class RefusalWindow {
  private readonly seen = new Map<string, Seen>()
  private readonly byActor = new Map<string, number>()
  private unlisted = 0

  /** The entry to write now, if there is one. */
  note(entry: AuditEntry): AuditEntry | undefined {
    const key = JSON.stringify([entry.actor, entry.projectId, entry.action, entry.target])
    const known = this.seen.get(key)
    if (known) {
      known.again += 1
      return undefined
    }
    const ofActor = this.byActor.get(entry.actor) ?? 0
    if (this.seen.size >= refusalBounds.inAll || ofActor >= refusalBounds.perActor) {
      this.unlisted += 1
      return undefined
    }
    this.byActor.set(entry.actor, ofActor + 1)
    this.seen.set(key, { entry, again: 0 })
    return entry
  }

  /** What is left to say of it. */
  end(source: string): AuditEntry[] {
    const repeated = [...this.seen.values()].filter(({ again }) => again > 0)
    const entries = repeated.map(({ entry, again }) => ({
      ...entry,
      action: `${entry.action}_again`,
      target: `${entry.target} (${again} more)`,
    }))
    if (this.unlisted === 0) return entries
    const rest: AuditEntry = {
      ...{ projectId: '', actor: `service:${source}`, action: 'access.denied_unlisted' },
      ...{ target: `${this.unlisted} refusals`, ip: '', requestId: '', outcome: 'denied' },
    }
    return [...entries, rest]
  }
}
