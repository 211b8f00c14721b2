import { LRUCache } from 'lru-cache'
import type { MapStore } from './store.js'

const MAX_BYTES = 32 * 1024 * 1024

/** Items of maps that were read lately. They never change, so an entry is never wrong. */
export class MapItems {
  private readonly cache = new LRUCache<string, { items: readonly unknown[]; bytes: number }>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  })

  /** Groups of which some item was seen to hold slots. */
  readonly holding: LRUCache<string, true>

  constructor(
    private readonly store: Pick<MapStore, 'loadMapItems'>,
    maxGroups: number,
  ) {
    this.holding = new LRUCache({ max: maxGroups })
  }

  async get(runId: string, ordinal: number): Promise<readonly unknown[]> {
    const key = `${runId}:${ordinal}`
    const known = this.cache.get(key)
    if (known) return known.items
    const text = await this.store.loadMapItems(runId, ordinal)
    if (text === undefined) throw new Error(`run ${runId} has no map ${ordinal}`)
    const items = JSON.parse(text) as unknown[]
    this.cache.set(key, { items, bytes: text.length })
    return items
  }
}
