import { crashPoint } from '@millrace/crash-point'
import { recordRewrapped } from '@millrace/events'
import { rewrapChainKeys } from './audit-chain-keys.js'
import type { IamContext } from './context.js'
import { listWrappedKeys, replaceWrappedKey } from './db/secrets.js'
import { listSigningKeys, replaceSealedKey } from './db/signing-keys.js'
import { reseal } from './security/seal.js'

const PAGE = 100

/**
 * Seals under the present master key whatever the one before sealed: signing keys, the data keys of secrets, the keys of
 * the audit chain. Values themselves stay as they are. Every step can be repeated; it ends with an entry in the audit
 * log, after which the key before may go.
 */
export async function rewrapAll(ctx: IamContext): Promise<void> {
  const signingKeys = await rewrapSigningKeys(ctx)
  const secrets = await rewrapSecrets(ctx)
  const chainKeys = await rewrapChainKeys(ctx.pool, ctx.auditChain)
  await recordRewrapped(ctx, 'iam', { signing_keys: signingKeys, secrets, audit_chain_keys: chainKeys })
}

async function rewrapSigningKeys({ pool, masterKeys }: IamContext): Promise<number> {
  let changed = 0
  for (const { kid, privateSealed } of await listSigningKeys(pool)) {
    const next = reseal(masterKeys, kid, privateSealed)
    if (next) changed += await replaceSealedKey(pool, kid, privateSealed, next)
  }
  return changed
}

async function rewrapSecrets({ pool, secrets }: IamContext): Promise<number> {
  let changed = 0
  let after = { projectId: '', name: '' }
  for (;;) {
    const rows = await listWrappedKeys(pool, after, PAGE)
    for (const { projectId, name, wrappedKey } of rows) {
      const next = secrets.rewrap({ projectId, name }, wrappedKey)
      if (next) changed += await replaceWrappedKey(pool, { projectId, name }, wrappedKey, next)
    }
    crashPoint('iam.rewrap.page')
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return changed
    after = last
  }
}
