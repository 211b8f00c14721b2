import { prepareServiceDatabases } from '@millrace/events'
import { createPostgresJobStore } from '@millrace/job-store'
import { createPool } from '@millrace/postgres'
import { testDatabase } from '@millrace/testkit'
import { expect, it } from 'vitest'

it('has an index of text also where the service has a role of its own', async () => {
  const database = await testDatabase()
  const { metadata: url } = await prepareServiceDatabases(database.url, { metadata: 'a-password-of-its-own' })
  const pool = createPool({ connectionString: url, schema: 'metadata', max: 2 })
  const store = createPostgresJobStore({ pool, schema: 'metadata' })
  try {
    await store.prepare()
    const { rows } = await pool.query(`select indexname from pg_indexes where indexname = 'jobs_by_text'`)
    expect(rows).toHaveLength(1)
  } finally {
    await store.close()
    await database.drop()
  }
})
