import type { Queryable } from '@millrace/postgres'
import { listChain, readHead } from './db/audit.js'
import { listChainKeys } from './db/audit-chain-keys.js'
import { type AuditChain, link } from './security/audit-chain.js'

const PAGE = 2000

export interface Verified {
  intact: boolean
  /** Id of the last entry up to which everything is as it was written; null when there is none. */
  upTo: string | null
  entries: number
}

/** Reads the chain up to where it ended when this began; what is appended meanwhile is left for the next time. */
export async function verifyChain(pool: Queryable, chain: AuditChain): Promise<Verified> {
  const head = await readHead(pool)
  const keys = chain.open(await listChainKeys(pool))
  let at: { seq: number; hash: Buffer; id: string | null } = { seq: 0, hash: Buffer.alloc(0), id: null }
  const verified = (intact: boolean): Verified => ({ intact, upTo: at.id, entries: at.seq })
  while (at.seq < head.seq) {
    const rows = await listChain(pool, at.seq, Math.min(PAGE, head.seq - at.seq))
    if (rows.length === 0) return verified(false)
    for (const { seq, hash, ...row } of rows) {
      if (seq !== at.seq + 1 || !link(keys, at.hash, seq, row).equals(hash)) return verified(false)
      at = { seq, hash, id: row.id }
    }
  }
  return verified(at.hash.equals(head.hash))
}
