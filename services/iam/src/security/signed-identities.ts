import { type Identity, signIdentity } from '@millrace/identity'
import { LRUCache } from 'lru-cache'
import type { KeyRing } from './key-ring.js'

const TTL_SECONDS = 60
const REUSE_MS = 30_000

interface Entry {
  identity: Identity
  signed: string
  reuseUntil: number
}

const same = (a: Identity, b: Identity): boolean =>
  a.subject === b.subject &&
  a.projectId === b.projectId &&
  a.role === b.role &&
  a.admin === b.admin &&
  a.email === b.email &&
  a.project === b.project

/** Signing takes longer than all else in a check, so a signature serves while what it says is still so. */
export class SignedIdentities {
  private readonly cache = new LRUCache<string, Entry>({ max: 20_000 })

  constructor(private readonly keys: KeyRing) {}

  sign(bearer: string, identity: Identity): string {
    const name = `${identity.projectId} ${bearer}`
    const known = this.cache.get(name)
    if (known && known.reuseUntil > Date.now() && same(known.identity, identity)) return known.signed
    const signed = signIdentity(identity, this.keys.signingKey, TTL_SECONDS)
    // A signature that ends with its credential must not be handed out once it has ended.
    const reuseUntil = Math.min(Date.now() + REUSE_MS, identity.expiresAt * 1000 - 1000)
    this.cache.set(name, { identity, signed, reuseUntil })
    return signed
  }
}
