import { createSecretBox } from '@millrace/config'
import { recordRewrapped } from '@millrace/events'
import { rewrapColumns, type SealedColumn } from '@millrace/postgres'
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
  const changed = await rewrapColumns(ctx.pool, sealedColumns, (value, id) => box.rewrap(value, id))
  await recordRewrapped(ctx, 'notification', changed)
}
