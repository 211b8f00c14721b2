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
/** MILLRACE_SHOW_REDELIVERY shows it with more (`make show-redelivery`): then the consumer is killed by the clock as well. */
const runCount = Number(process.env.MILLRACE_SHOW_REDELIVERY ?? 40)
const killEveryMs = 3_000
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
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return { ended, stop, kill }
}

/** Of each run: a try that fails, one that succeeds, and what a worker and the engine say of both. */
function history(): AnyNewEvent[] {
  const runs = Array.from({ length: runCount }, (_, n) => testRun(projectId, `orders-${n % 4}`))
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

const readMs = 60_000 + 100 * runCount

async function lagOf({ pool }: Place): Promise<number> {
  const sql = `select (select max(id) from log) - coalesce((select position from groups where name = 'metadata'), 0) as lag`
  return Number((await pool.query(sql)).rows[0]?.lag)
}

async function untilRead(place: Place): Promise<void> {
  await waitFor(async () => (await lagOf(place)) === 0, { timeoutMs: readMs, what: 'all events are read' })
}

/** Each consumer may store one position before its time begins: so the end is reached however slow the machine. */
async function readUnderKills(place: Place): Promise<number> {
  for (let kills = 0; ; kills++) {
    const before = await lagOf(place)
    const consumer = await startConsumer(place)
    await waitFor(async () => (await lagOf(place)) < Math.max(before, 1), {
      timeoutMs: readMs,
      what: 'some events are read',
    })
    const read = waitFor(async () => (await lagOf(place)) === 0, { timeoutMs: killEveryMs })
    const done = await read.then(
      () => true,
      () => false,
    )
    if (done) {
      await consumer.stop()
      return kills
    }
    await consumer.kill()
  }
}

async function documentsOf({ store }: Place) {
  return {
    jobs: await store.listJobs({ projectId }, { limit: runCount + 1 }),
    runs: await store.listRuns({ projectId }, { limit: runCount + 1 }),
  }
}

it('makes the same documents of events that come twice, shuffled, to a consumer that is killed again and again', {
  timeout: 300_000 + 5 * readMs,
}, async () => {
  const [ordered, shuffled] = places as [Place, Place]
  const events = history()
  while (events.length > 0) await appendEvents(ordered.pool, 'scheduler', events.splice(0, 10_000))
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
  const kills = await readUnderKills(shuffled)
  if (runCount > 40) {
    expect(kills).toBeGreaterThan(0)
    console.log(
      `${rows.length} events of ${runCount} runs: killed ${deaths.length} times at a point, ${kills} by the clock`,
    )
  }
  const expected = await documentsOf(ordered)
  expect([expected.jobs.length, expected.runs.length]).toEqual([runCount, runCount])
  expect(await documentsOf(shuffled)).toEqual(expected)
})
