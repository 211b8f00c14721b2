import { createSecretBox } from '@millrace/config'
import { recordAudit } from '@millrace/events'
import { rewrapColumn, type SealedColumn } from '@millrace/postgres'
import type { AppContext } from './context.js'

/** Everything that this service seals. */
const sealedColumns: readonly SealedColumn[] = [
  { table: 'subscriptions', column: 'secret' },
  { table: 'subscriptions', column: 'previous_secret' },
  { table: 'subscriptions', column: 'headers' },
]

/** Seals under the present key whatever the one before sealed; the entry in the audit log says that it is done. */
export async function rewrapAll(ctx: AppContext): Promise<void> {
  const box = createSecretBox(ctx.config.secretKey, ctx.config.previousSecretKey)
  const done: string[] = []
  for (const sealed of sealedColumns) {
    const changed = await rewrapColumn(ctx.pool, sealed, (value, id) => box.rewrap(value, id))
    done.push(`${sealed.table}.${sealed.column}:${changed}`)
  }
  const byItself = { projectId: '', actor: 'service:notification', ip: '', requestId: '' }
  await recordAudit(ctx.pool, 'notification', { ...byItself, action: 'master_key.rewrapped', target: done.join(' ') })
  ctx.bus.hint()
  ctx.logger.info({ done }, 'everything is sealed under the present key')
}
