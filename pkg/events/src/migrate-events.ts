import { migrate, type Pool } from '@millrace/postgres'

export function migrateEvents(pool: Pool): Promise<void> {
  return migrate(pool, { schema: 'events', directory: new URL('../migrations', import.meta.url) })
}
