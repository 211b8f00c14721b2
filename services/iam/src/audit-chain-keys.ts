import { type Pool, type Tx, withTransaction } from '@millrace/postgres'
import { listChain, lockHead } from './db/audit.js'
import { listChainKeys, putChainKey } from './db/audit-chain-keys.js'
import { type AuditChain, link } from './security/audit-chain.js'

/** Keeps the key that the chain was begun with. */
export async function ensureChainKey(pool: Pool, chain: AuditChain): Promise<void> {
  await withTransaction(pool, async (tx) => {
    await lockHead(tx)
    if ((await listChainKeys(tx)).length > 0) return
    await putChainKey(tx, { fromSeq: 1, sealed: chain.seal(await firstKey(tx, chain)) })
  })
}

async function firstKey(tx: Tx, chain: AuditChain): Promise<Buffer> {
  const [present, ...previous] = chain.derivedKeys
  const [first] = await listChain(tx, 0, 1)
  if (!first) return present
  const { seq, hash, ...row } = first
  const made = (key: Buffer) => link([{ fromSeq: 1, key }], Buffer.alloc(0), seq, row).equals(hash)
  return previous.find(made) ?? present
}

/**
 * Seals the chain's keys anew. Entries from now on get a key of their own: whoever has the old master key cannot make
 * them. All in one transaction, so that it is done or not.
 */
export async function rewrapChainKeys(pool: Pool, chain: AuditChain): Promise<number> {
  return withTransaction(pool, async (tx) => {
    const head = await lockHead(tx)
    let changed = 0
    for (const row of await listChainKeys(tx)) {
      const sealed = chain.rewrap(row)
      if (sealed === undefined) continue
      await putChainKey(tx, { fromSeq: row.fromSeq, sealed })
      changed += 1
    }
    if (changed > 0) await putChainKey(tx, { fromSeq: head.seq + 1, sealed: chain.seal(chain.newKey()) })
    return changed
  })
}
