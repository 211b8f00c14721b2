import { backoffMs } from '@millrace/errors'
import { LRUCache } from 'lru-cache'
import type { SecretAnswer, SecretsClient } from '../clients/secrets-client.js'
import type { Environment } from './environment.js'

/** How long a changed or deleted secret may still be handed out. */
const KEEP_MS = 1000
const MAX_KEPT_BYTES = 16 * 1024 * 1024
/** Of 64 KiB each at most: an answer stays below what one message may hold. */
const NAMES_A_CALL = 100
const FIRST_WAIT_MS = 100
/**
 * A lease is held this long at most before it is handed back. Together with the time that the call itself may take it is
 * less than the grace that the engine gives an attempt past its timeout, so that waiting for iam times nothing out.
 */
const MAX_WAIT_MS = 750

/** iam cannot be asked now; it is not asked again before the wait is over. */
export class SecretsUnavailable extends Error {
  override readonly name = 'SecretsUnavailable'

  constructor(
    readonly waitMs: number,
    cause: unknown,
  ) {
    super('secrets cannot be had now', { cause })
  }
}

interface Trouble {
  failures: number
  until: number
  cause: unknown
}

/** Values of secrets, asked of iam and kept for a moment. */
export class SecretValues {
  private readonly kept = new LRUCache<string, string>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: (value, key) => value.length * 2 + key.length,
    ttl: KEEP_MS,
    // Values leave the memory when their time is over, not when someone next asks.
    ttlAutopurge: true,
  })
  private readonly asking = new Map<string, Promise<SecretAnswer>>()
  private readonly troubles = new LRUCache<string, Trouble>({ max: 1000 })

  constructor(
    private readonly client: Pick<SecretsClient, 'fetch'>,
    private readonly env: Environment,
  ) {}

  /** Throws SecretsUnavailable. That a secret does not exist is never remembered: it may be made any moment. */
  async get(projectId: string, names: readonly string[]): Promise<SecretAnswer> {
    const values = new Map<string, string>()
    const unreadable = new Set<string>()
    const missing: string[] = []
    for (const name of names) {
      const value = this.kept.get(`${projectId}/${name}`)
      if (value === undefined) missing.push(name)
      else values.set(name, value)
    }
    for (let at = 0; at < missing.length; at += NAMES_A_CALL) {
      const answer = await this.ask(projectId, missing.slice(at, at + NAMES_A_CALL))
      for (const [name, value] of answer.values) values.set(name, value)
      for (const name of answer.unreadable) unreadable.add(name)
    }
    return { values, unreadable }
  }

  /** Whoever asks the same meanwhile shares the answer. */
  private ask(projectId: string, names: readonly string[]): Promise<SecretAnswer> {
    const key = `${projectId}/${[...names].sort().join('/')}`
    const known = this.asking.get(key)
    if (known) return known
    const answer = this.fetch(projectId, names).finally(() => this.asking.delete(key))
    this.asking.set(key, answer)
    return answer
  }

  private async fetch(projectId: string, names: readonly string[]): Promise<SecretAnswer> {
    const trouble = this.troubles.get(projectId)
    const left = (trouble?.until ?? 0) - this.env.now()
    if (trouble && left > 0) throw new SecretsUnavailable(left, trouble.cause)
    try {
      const answer = await this.client.fetch(projectId, names)
      this.troubles.delete(projectId)
      for (const [name, value] of answer.values) this.kept.set(`${projectId}/${name}`, value)
      return answer
    } catch (error) {
      const failures = (trouble?.failures ?? 0) + 1
      const waitMs = backoffMs(failures, { firstMs: FIRST_WAIT_MS, maxMs: MAX_WAIT_MS, random: this.env.random() })
      this.troubles.set(projectId, { failures, until: this.env.now() + waitMs, cause: error })
      throw new SecretsUnavailable(waitMs, error)
    }
  }
}
