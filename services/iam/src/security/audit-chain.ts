import { createHmac, randomBytes } from 'node:crypto'
import type { NewAuditRow } from '../db/audit.js'
import type { ChainKeyRow } from '../db/audit-chain-keys.js'
import { derived, reseal, type SealingKeys, seal, unsealAny } from './seal.js'

const CONTEXT = 'audit-chain'

/** A key, and the place in the chain from which on it counts. */
export interface ChainKey {
  readonly fromSeq: number
  readonly key: Buffer
}

/**
 * Links each audit entry to the one before. The hash is keyed: whoever can write to the database but has not the
 * master key can neither change an entry nor make a new chain.
 */
export class AuditChain {
  constructor(private readonly masterKeys: SealingKeys) {}

  /** Oldest first. */
  open(rows: readonly ChainKeyRow[]): ChainKey[] {
    return rows.map(({ fromSeq, sealed }) => ({
      fromSeq,
      key: Buffer.from(unsealAny(this.masterKeys, CONTEXT, sealed), 'base64'),
    }))
  }

  seal = (key: Buffer): Buffer => seal(this.masterKeys[0], CONTEXT, key.toString('base64'))

  rewrap = ({ sealed }: ChainKeyRow): Buffer | undefined => reseal(this.masterKeys, CONTEXT, sealed)

  newKey = (): Buffer => randomBytes(32)

  /** Before keys were kept, the master key itself gave the chain its key: one of these made the first entry. */
  get derivedKeys(): SealingKeys {
    return derived(this.masterKeys, 'millrace/iam/audit-chain')
  }
}

export function link(keys: readonly ChainKey[], previous: Buffer, seq: number, row: NewAuditRow): Buffer {
  const { id, at, projectId, actor, role, action, target, ip, requestId, outcome, source } = row
  const text = JSON.stringify([seq, id, at, projectId, actor, role, action, target, ip, requestId, outcome, source])
  const key = keys.findLast(({ fromSeq }) => fromSeq <= seq)?.key
  if (!key) throw new Error(`the audit log has no key for entry ${seq}`)
  return createHmac('sha256', key).update(previous).update(text).digest()
}
