import { type Definition, preparePlan } from '@millrace/definition'
import { LRUCache } from 'lru-cache'
import { type EnginePlan, toEnginePlan } from '../domain/engine-plan.js'
import { withQueueDefaults } from '../domain/queue-defaults.js'
import { ageBy, type Environment } from './environment.js'

/** Gives the normalised definition of a version. Throws a retryable error when it cannot be had now. */
export type FetchVersion = (versionId: string) => Promise<Definition>

/** Compiled definitions. Versions never change, so an entry is never wrong; size and age only bound memory. */
export class Plans {
  private readonly cache: LRUCache<string, EnginePlan>
  private readonly sources: LRUCache<string, Definition>
  private readonly filled: LRUCache<string, EnginePlan>
  private readonly loading = new Map<string, Promise<EnginePlan>>()

  constructor(
    private readonly fetchVersion: FetchVersion,
    options: { max: number; maxAgeMs: number; env: Environment },
  ) {
    const bounds = { max: options.max, ttl: options.maxAgeMs, ...ageBy(options.env) }
    this.cache = new LRUCache(bounds)
    this.sources = new LRUCache(bounds)
    this.filled = new LRUCache(bounds)
  }

  get(versionId: string): Promise<EnginePlan> | EnginePlan {
    return this.cache.get(versionId) ?? this.loading.get(versionId) ?? this.load(versionId)
  }

  /** With the defaults of its queues that a run was created with. */
  async forRun(versionId: string, queueDefaults: string | null): Promise<EnginePlan> {
    const plan = await this.get(versionId)
    if (queueDefaults === null) return plan
    const key = `${versionId} ${queueDefaults}`
    const known = this.filled.get(key)
    if (known) return known
    const filled = withQueueDefaults(plan, queueDefaults)
    this.filled.set(key, filled)
    return filled
  }

  /** What a plan is made of, for another thread to make it too. Its parts are held by the plan in any case. */
  async sourceOf(versionId: string): Promise<Definition> {
    return this.sources.get(versionId) ?? (await this.fetchVersion(versionId))
  }

  async getAll(versionIds: readonly string[]): Promise<Map<string, EnginePlan>> {
    const plans = new Map<string, EnginePlan>()
    for (const id of new Set(versionIds)) plans.set(id, await this.get(id))
    return plans
  }

  private load(versionId: string): Promise<EnginePlan> {
    const loading = this.fetchVersion(versionId)
      .then(async (definition) => {
        const plan = toEnginePlan(await preparePlan(definition))
        this.cache.set(versionId, plan)
        this.sources.set(versionId, definition)
        return plan
      })
      .finally(() => this.loading.delete(versionId))
    this.loading.set(versionId, loading)
    return loading
  }
}
