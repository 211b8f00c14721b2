// How many events a second the Postgres job store takes in, and how many log lines.
// DATABASE_URL=… node pkg/job-store/bench/apply.mjs   (an empty database; fsync as the server has it)
import { randomUUID } from 'node:crypto'
import { createPool } from '@millrace/postgres'
import { createPostgresJobStore } from '../dist/index.js'

const JOBS = 10_000
const BATCH = 1_000
const connectionString = process.env.DATABASE_URL
const pool = createPool({ connectionString, schema: 'metadata' })
const documentPool = createPool({
  connectionString,
  schema: 'metadata',
  max: 2,
  settings: { synchronous_commit: 'off' },
})
const store = createPostgresJobStore({ pool, documentPool, schema: 'metadata' })
const say = (what, count, sinceMs) => {
  const cpu = process.cpuUsage()
  const rate = Math.round(count / ((performance.now() - sinceMs) / 1_000))
  process.stdout.write(`${what}: ${rate}/s (node ${Math.round((cpu.user + cpu.system) / 1_000)} ms cpu so far)\n`)
}

function events(jobId, runId) {
  const identity = {
    projectId,
    runId,
    workflow: 'orders',
    version: 1,
    task: 'pay',
    index: null,
    uses: 'http',
    queue: 'default',
    maxAttempts: 3,
  }
  const saw = (sequence, status, attempt, workerId) => ({
    kind: 'observed',
    jobId,
    sequence,
    at: new Date(Date.now() + sequence),
    identity,
    status,
    attempt,
    workerId,
    error: null,
    traceId: 'a'.repeat(32),
  })
  return [
    saw(1, 'queued', 0, null),
    saw(2, 'running', 1, 'worker-1'),
    {
      kind: 'claimed',
      jobId,
      projectId,
      runId,
      leaseId: randomUUID(),
      attempt: 1,
      at: new Date(),
      executionMs: 3,
      outputBytes: 10,
      error: null,
    },
    saw(3, 'succeeded', 1, 'worker-1'),
  ]
}

const projectId = randomUUID()
await store.prepare()

async function measure(what, order) {
  const jobs = Array.from({ length: JOBS }, () => events(randomUUID(), randomUUID()))
  const all = order(jobs)
  const since = performance.now()
  for (let i = 0; i < all.length; i += BATCH)
    await store.apply({ jobs: all.slice(i, i + BATCH), runs: [], artifacts: [] })
  say(what, all.length, since)
}

/** Steps of `width` jobs at a time interleave: an event's job was last written some batches ago. */
const interleaved = (width) => (jobs) => {
  const all = []
  for (let i = 0; i < jobs.length; i += width) {
    for (let step = 0; step < 4; step += 1) for (const job of jobs.slice(i, i + width)) all.push(job[step])
  }
  return all
}
await measure('a job at a time', (jobs) => jobs.flat())
await measure('2,000 jobs interleaved', interleaved(2_000))
await measure('10,000 jobs interleaved (more than is held)', interleaved(10_000))

const runId = randomUUID()
const lines = Array.from({ length: 50_000 }, (_, i) => ({
  projectId,
  runId,
  jobId: randomUUID(),
  task: 'pay',
  attempt: 1,
  seq: i,
  at: new Date(),
  level: 'info',
  stream: 'system',
  message: `attempt ${i} has started on worker-1`,
}))
const since = performance.now()
for (let i = 0; i < lines.length; i += BATCH) await store.appendLogs(lines.slice(i, i + BATCH))
say('log lines', lines.length, since)
await store.close()
