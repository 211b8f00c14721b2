import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ferretSpec, type ServerProcess, startServer } from '@millrace/stack-servers'
import { freePort, waitFor } from '@millrace/testkit'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { observer } from '../../src/contract/samples.js'
import { jobStoreContract } from '../../src/contract.js'
import { createMongoJobStore } from '../../src/index.js'

let folder: string
let server: ServerProcess
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-ferretdb-'))
  const spec = await ferretSpec({ directory: join(folder, 'data'), port: await freePort() })
  server = await startServer(spec, join(folder, 'ferretdb.log'))
}, 900_000)
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const urlOf = (database: string) => `mongodb://${server.spec.address}/${database}?directConnection=true`

jobStoreContract('MongoDB', async () => {
  const url = urlOf(`contract-${randomUUID()}`)
  const store = createMongoJobStore({ url })
  const replica = createMongoJobStore({ url })
  return {
    store,
    replica,
    async destroy() {
      await Promise.all([store.close(), replica.close()])
    },
  }
})

it('has every index that searches and reads of logs go by, however often it is prepared', async () => {
  const url = urlOf(`indexes-${randomUUID()}`)
  const store = createMongoJobStore({ url })
  const client = new MongoClient(url)
  try {
    await store.prepare()
    await store.prepare()
    const names = async (collection: string) => {
      const indexes = await client.db().collection(collection).listIndexes().toArray()
      return indexes.map(({ name }) => String(name)).sort()
    }
    const ofJobs = ['_id_', 'by_error', 'by_label', 'by_run', 'by_time', 'by_workflow']
    expect(await names('jobs')).toEqual(ofJobs)
    expect(await names('runs')).toEqual(['_id_', 'by_time'])
    expect(await names('artifacts')).toEqual(['_id_', 'by_run'])
    expect(await names('logs')).toEqual(['_id_', 'by_arrival', 'by_job_and_time', 'by_run'])
  } finally {
    await Promise.all([client.close(), store.close()])
  }
})

describe('when the document store goes away', () => {
  it('says so as an unavailable dependency, and goes on with all it had once it is back', async () => {
    const store = createMongoJobStore({ url: urlOf('outage'), serverSelectionTimeoutMs: 500 })
    try {
      await store.prepare()
      const projectId = randomUUID()
      const { jobId, saw } = observer({ projectId })
      const apply = (sequence: number, status: 'queued' | 'running') =>
        store.apply({ jobs: [saw(sequence, status)], runs: [], artifacts: [] })
      await apply(1, 'queued')
      await server.kill()
      expect(await store.ping()).toBe(false)
      const down = { code: 'unavailable', reason: 'job_store_unavailable', retryable: true }
      await expect(apply(2, 'running')).rejects.toMatchObject(down)
      await expect(store.getJob(projectId, jobId)).rejects.toMatchObject(down)
      server = await startServer(server.spec, server.logFile)
      await waitFor(() => store.ping(), { timeoutMs: 20_000 })
      expect(await store.getJob(projectId, jobId)).toMatchObject({ status: 'queued' })
      await apply(2, 'running')
      expect(await store.getJob(projectId, jobId)).toMatchObject({ status: 'running', sequence: 2 })
    } finally {
      await store.close()
    }
  })
})
