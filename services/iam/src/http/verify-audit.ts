import type { RouteHandler } from '@millrace/http'
import type { IamContext } from '../context.js'
import { listChain, readHead } from '../db/audit.js'
import { listChainKeys } from '../db/audit-chain-keys.js'
import { link } from '../security/audit-chain.js'

const PAGE = 2000
/** However many ask, the log is read through by one at a time. */
const REUSE_MS = 1000

interface Verified {
  intact: boolean
  /** Id of the last entry up to which everything is as it was written; null when there is none. */
  upTo: string | null
  entries: number
}

/** Reads the chain up to where it ended when this began; what is appended meanwhile is left for the next time. */
async function verifyChain({ pool, auditChain }: IamContext): Promise<Verified> {
  const head = await readHead(pool)
  const keys = auditChain.open(await listChainKeys(pool))
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

export function verifyAudit(ctx: IamContext): RouteHandler {
  let latest: { begunAt: number; result: Promise<Verified>; done: boolean } | undefined
  return async () => {
    if (!latest || (latest.done && performance.now() - latest.begunAt > REUSE_MS)) {
      const verification = { begunAt: performance.now(), result: verifyChain(ctx), done: false }
      latest = verification
      const done = () => {
        verification.done = true
      }
      verification.result.then(done, done)
    }
    return { status: 200, body: await latest.result }
  }
}
