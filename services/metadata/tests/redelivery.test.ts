import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AnyNewEvent, appendEvents, migrateEvents } from '@millrace/events'
import { createPostgresJobStore, type JobStore } from '@millrace/job-store'
import { createPool, type Pool } from '@millrace/postgres'
import { freePort, testDatabase, testServiceEnv, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testRun } from './harness.js'

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const projectId = '0193d5e0-0000-7000-8000-000000000001'
const error = { code: 'boom', message: 'once', class: 'user', retryable: true }
const deaths = ['metadata.record.before', 'metadata.record.applied', 'events.metadata.delivered']

interface Place {
  url: string
  pool: Pool
  store: JobStore
  destroy(): Promise<void>
}

let folder: string
let places: Place[]
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-redelivery-'))
  places = await Promise.all([makePlace(), makePlace()])
})
afterAll(async () => {
  await Promise.all(places.map((place) => place.destroy()))
  rmSync(folder, { recursive: true, force: true })
})

async function makePlace(): Promise<Place> {
  const database = await testDatabase()
  const pool = createPool({ connectionString: database.url, schema: 'events', max: 2 })
  await migrateEvents(pool)
  const documents = createPool({ connectionString: database.url, schema: 'metadata', max: 2 })
  const store = createPostgresJobStore({ pool: documents, schema: 'metadata' })
  await store.prepare()
  const destroy = async () => {
    await Promise.all([pool.end(), store.close()])
    await database.drop()
  }
  return { url: database.url, pool, store, destroy }
}

/** The service as a process; ends by what stands in the file of crashes, or by `stop`. */
async function startConsumer(place: Place) {
  const child = spawn(process.execPath, [main], {
    env: {
      ...testServiceEnv('metadata'),
      DATABASE_URL: place.url,
      MILLRACE_SERVICE_HTTP_PORT: String(await freePort()),
      MILLRACE_SERVICE_PUBLIC_GRPC_PORT: String(await freePort()),
      MILLRACE_IAM_GRPC: `127.0.0.1:${await freePort()}`,
      MILLRACE_LOG_LEVEL: 'error',
      MILLRACE_CRASH_FILE: join(folder, 'crash'),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { ended, stop }
}

/** Of each run: a try that fails, one that succeeds, and what a worker and the engine say of both. */
function history(): AnyNewEvent[] {
  const runs = Array.from({ length: 40 }, (_, n) => testRun(projectId, `orders-${n % 4}`))
  return runs.flatMap((run) => [
    run.started(),
    run.run(1, 'running'),
    run.task(2, 'queued', { attempt: 0 }),
    run.task(3, 'running', { workerId: 'w1' }),
    run.task(4, 'delayed', { error }),
    run.task(5, 'queued'),
    run.task(6, 'running', { attempt: 2, workerId: 'w2' }),
    run.task(7, 'succeeded', { attempt: 2, workerId: 'w2' }),
    run.run(8, 'succeeded'),
    run.completed(8, 'succeeded'),
  ])
}

async function untilRead({ pool }: Place): Promise<void> {
  const sql = `select (select max(id) from log) = (select position from groups where name = 'metadata') as done`
  await waitFor(async () => (await pool.query(sql)).rows[0]?.done, { timeoutMs: 60_000, what: 'all events are read' })
}

async function documentsOf({ store }: Place) {
  return {
    jobs: await store.listJobs({ projectId }, { limit: 1_000 }),
    runs: await store.listRuns({ projectId }, { limit: 1_000 }),
  }
}

it('makes the same documents of events that come twice, shuffled, to a consumer that is killed again and again', {
  timeout: 300_000,
}, async () => {
  const [ordered, shuffled] = places as [Place, Place]
  await appendEvents(ordered.pool, 'scheduler', history())
  const reference = await startConsumer(ordered)
  await untilRead(ordered)
  await reference.stop()

  const columns = 'event_id, topic, key, subject, source, time, sequence, traceparent, data'
  const { rows } = await ordered.pool.query(
    `select ${columns} from log cross join generate_series(1, 2) order by random()`,
  )
  const slice = Math.ceil(rows.length / deaths.length)
  for (const [n, point] of deaths.entries()) {
    await shuffled.pool.query(
      `insert into log (${columns}) select ${columns} from json_populate_recordset(null::log, $1)`,
      [JSON.stringify(rows.slice(n * slice, (n + 1) * slice))],
    )
    writeFileSync(join(folder, 'crash'), `${point} 1`)
    const [, signal] = await (await startConsumer(shuffled)).ended
    expect(signal, point).toBe('SIGKILL')
  }
  const last = await startConsumer(shuffled)
  await untilRead(shuffled)
  await last.stop()
  const expected = await documentsOf(ordered)
  expect([expected.jobs.length, expected.runs.length]).toEqual([40, 40])
  expect(await documentsOf(shuffled)).toEqual(expected)
})
