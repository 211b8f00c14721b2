import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPool } from '@millrace/postgres'
import { ferretSpec, type ServerProcess, startServer } from '@millrace/stack-servers'
import { freePort, type TestDatabase, testDatabase } from '@millrace/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { artifact, jobHistory, logLine, runHistory } from '../../src/contract/samples.js'
import { copyToMongo, createMongoJobStore, createPostgresJobStore, type JobStore } from '../../src/index.js'

const folder = mkdtempSync(join(tmpdir(), 'millrace-copy-'))
let server: ServerProcess
let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  const spec = await ferretSpec({ directory: join(folder, 'data'), port: await freePort() })
  server = await startServer(spec, join(folder, 'ferretdb.log'))
}, 900_000)
afterAll(async () => {
  await server.stop()
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

async function withStores(use: (from: JobStore, to: JobStore, copy: () => Promise<unknown>) => Promise<void>) {
  const url = `mongodb://${server.spec.address}/copy?directConnection=true`
  const pool = createPool({ connectionString: database.url, schema: 'metadata', max: 4 })
  const [from, to] = [createPostgresJobStore({ pool, schema: 'metadata' }), createMongoJobStore({ url })]
  try {
    await from.prepare()
    await use(from, to, () => copyToMongo(pool, url))
  } finally {
    await Promise.all([from.close(), to.close()])
  }
}

it('copies documents, files and lines as they are, twice as well as once, and what is heard later still merges', async () => {
  await withStores(async (from, to, copy) => {
    const projectId = randomUUID()
    const runs = Array.from({ length: 250 }, () => runHistory({ projectId }))
    const { runId } = runs[0] as { runId: string }
    const { jobId, changes } = jobHistory({ projectId, runId })
    const record = artifact(projectId, runId, 'pay')
    // The last event comes after the move.
    const early = changes.slice(0, -1)
    await from.apply({ jobs: early, runs: runs.flatMap((run) => run.changes), artifacts: [record] })
    const place = { projectId, runId, jobId }
    // All of one millisecond: only their arrival orders them.
    const at = new Date(0)
    for (const seq of Array.from({ length: 450 }, (_, i) => 450 - i))
      await from.appendLogs([logLine(place, { seq, at })])
    const copied = { jobs: 1, runs: 250, artifacts: 1, lines: 450 }
    expect(await copy()).toEqual(copied)
    expect(await copy()).toEqual(copied)
    expect(await to.getJob(projectId, jobId)).toEqual(await from.getJob(projectId, jobId))
    for (const run of runs.slice(0, 3)) {
      expect(await to.getRun(projectId, run.runId)).toEqual(await from.getRun(projectId, run.runId))
    }
    expect((await to.listRuns({ projectId }, { limit: 300 })).length).toBe(250)
    expect(await to.listArtifacts(projectId, runId, 'pay')).toEqual([record])
    const lines = async (store: JobStore) =>
      (await store.readLogs({ projectId, runId }, { limit: 500 })).lines.map(({ seq }) => seq)
    expect(await lines(to)).toEqual(await lines(from))
    await to.apply({ jobs: changes.slice(-1), runs: [], artifacts: [] })
    await from.apply({ jobs: changes.slice(-1), runs: [], artifacts: [] })
    expect(await to.getJob(projectId, jobId)).toEqual(await from.getJob(projectId, jobId))
  })
}, 300_000)
