import { migrate, type Pool, type SharedSchema } from '@millrace/postgres'

/** What every service uses and none owns. */
export const EVENTS_SCHEMA: SharedSchema = { schema: 'events', readOnly: ['schema_migrations'] }

export function migrateEvents(pool: Pool): Promise<void> {
  return migrate(pool, { schema: EVENTS_SCHEMA.schema, directory: new URL('../migrations', import.meta.url) })
}
