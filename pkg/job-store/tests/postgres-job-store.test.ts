import { createPool } from '@millrace/postgres'
import { testDatabase } from '@millrace/testkit'
import { jobStoreContract } from '../src/contract.js'
import { createPostgresJobStore } from '../src/index.js'

jobStoreContract('Postgres', async () => {
  const database = await testDatabase()
  const make = () =>
    createPostgresJobStore({
      pool: createPool({ connectionString: database.url, schema: 'metadata', max: 4 }),
      schema: 'metadata',
      // Small, so that the suite also runs through documents that memory has let go.
      maxHeld: 5,
    })
  const store = make()
  const replica = make()
  return {
    store,
    replica,
    async destroy() {
      await Promise.all([store.close(), replica.close()])
      await database.drop()
    },
  }
})
