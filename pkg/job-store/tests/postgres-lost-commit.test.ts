import { randomUUID } from 'node:crypto'
import { createPool } from '@millrace/postgres'
import { testDatabase, waitFor } from '@millrace/testkit'
import { expect, it } from 'vitest'
import { observer } from '../src/contract/samples.js'
import { createPostgresJobStore } from '../src/index.js'

it('does not take events for known after a server that crashed lost the commit that held them', async () => {
  const database = await testDatabase()
  const make = () => createPool({ connectionString: database.url, schema: 'metadata', max: 2 })
  const documentPool = make()
  const store = createPostgresJobStore({ pool: make(), documentPool, schema: 'metadata' })
  const admin = make()
  try {
    await store.prepare()
    const projectId = randomUUID()
    const { jobId, saw } = observer({ projectId })
    const batch = { jobs: [saw(1, 'queued'), saw(2, 'running')], runs: [], artifacts: [] }
    await store.apply(batch)
    // What a crash does to a commit that did not wait for the disk, and to every connection.
    await admin.query('delete from jobs')
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    )
    await waitFor(() => documentPool.idleCount === 0)
    await store.apply(batch)
    expect(await store.getJob(projectId, jobId)).toMatchObject({ status: 'running', sequence: 2 })
  } finally {
    await admin.end()
    await store.close()
    await database.drop()
  }
})
