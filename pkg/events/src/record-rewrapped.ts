import type { Logger } from '@millrace/logger'
import type { Pool } from '@millrace/postgres'
import type { EventBus } from './event-bus.js'
import { recordAudit } from './record-audit.js'

interface Service {
  pool: Pool
  bus: Pick<EventBus, 'hint'>
  logger: Logger
}

/**
 * Says in the audit log that everything of a service is sealed under the present key, and how much had to be sealed anew:
 * after that the key before may go.
 */
export async function recordRewrapped(
  { pool, bus, logger }: Service,
  name: string,
  changed: Record<string, number>,
): Promise<void> {
  const target = Object.entries(changed)
    .map(([what, count]) => `${what}:${count}`)
    .join(' ')
  const byItself = { projectId: '', actor: `service:${name}`, ip: '', requestId: '' }
  await recordAudit(pool, name, { ...byItself, action: 'master_key.rewrapped', target })
  bus.hint()
  logger.info({ changed }, 'everything is sealed under the present key')
}
