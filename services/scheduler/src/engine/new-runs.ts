import { LRUCache } from 'lru-cache'

type Creation = 'created' | 'known' | 'never'

/** A run comes twice, by a call and by its event, at the same time or a little apart: it is created once. */
export class NewRuns {
  private readonly recent: LRUCache<string, Promise<boolean>>

  constructor(max: number) {
    this.recent = new LRUCache({ max })
  }

  has(runId: string): boolean {
    return this.recent.has(runId)
  }

  /** `known`: somebody else's creation, which has ended when this does. */
  async once(runId: string, create: () => Promise<boolean>): Promise<Creation> {
    const before = this.recent.get(runId)
    if (before) return (await before) ? 'known' : 'never'
    const creation = create()
    this.recent.set(runId, creation)
    try {
      return (await creation) ? 'created' : 'never'
    } catch (error) {
      this.recent.delete(runId)
      throw error
    }
  }
}
