import { createHmac, hkdfSync } from 'node:crypto'
import type { NewAuditRow } from '../db/audit.js'

/**
 * Links each audit entry to the one before. The hash is keyed: whoever can write to the database but has not the
 * master key can neither change an entry nor make a new chain.
 */
export class AuditChain {
  private readonly key: Buffer

  constructor(masterKey: Buffer) {
    this.key = Buffer.from(hkdfSync('sha256', masterKey, '', 'millrace/iam/audit-chain', 32))
  }

  link(previous: Buffer, seq: number, row: NewAuditRow): Buffer {
    const { id, at, projectId, actor, role, action, target, ip, requestId, outcome, source } = row
    const text = JSON.stringify([seq, id, at, projectId, actor, role, action, target, ip, requestId, outcome, source])
    return createHmac('sha256', this.key).update(previous).update(text).digest()
  }
}
