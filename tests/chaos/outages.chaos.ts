import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@millrace/testkit'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { type Client, login, newUser } from '../support/client.js'
import type { Standalone } from '../support/standalone.js'
import { startTarget, type Target } from '../support/target.js'
import { keepLogs } from './keep-logs.js'
import { note } from './record.js'

let target: Target | undefined
afterEach(async (context) => {
  if (context.task.result?.state === 'fail') keepLogs(target?.standalone, context.task.name)
  await target?.close()
  target = undefined
}, 60_000)

async function deploy(env: Record<string, string> = {}) {
  target = await startTarget(env)
  const { standalone, sink } = target
  if (!standalone) throw new Error('only a deployment of its own can be hurt')
  sink.otherwise({ status: 200 })
  const account = await newUser(target)
  const { client } = account
  const counted = {
    uses: 'http',
    with: { method: 'POST', url: `${sink.url}/count`, headers: { 'x-key': '${{ task.idempotencyKey }}' } },
  }
  return { target, standalone, sink, account, client, counted }
}

async function rows<T>(standalone: Standalone, text: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: standalone.databaseUrl() })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(text, values)).rows as T[]
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Until it is answered; a batch is one transaction and its key settles with it. */
async function startMany(client: () => Client, workflow: string, items: object[]): Promise<void> {
  let key = randomUUID()
  let inProgress = 0
  await waitFor(
    async () => {
      const call = { body: { items }, headers: { 'idempotency-key': key } }
      const reply = await client().call('POST', `/api/v1/workflows/${workflow}/runs/batch`, call)
      if (reply.text.includes('idempotency_in_progress') && ++inProgress > 20) {
        key = randomUUID()
        inProgress = 0
      }
      return reply.status === 202
    },
    { timeoutMs: 120_000, intervalMs: 150, what: 'a batch accepted' },
  )
}

const openRuns = `select count(*)::int as n from workflow.run_requests q left join scheduler.runs r on r.id = q.id
  where r.id is null or r.status not in ('succeeded', 'failed', 'cancelled')`
const wrongCompletions = `select r.id from scheduler.runs r
  left join events.log l on l.topic = 'workflow.completed' and l.key = r.id::text group by r.id having count(l.*) <> 1`
const wrongSuccesses = `select t.id from scheduler.tasks t
  left join events.log l on l.topic = 'task.updated' and l.subject = t.id::text and l.data ->> 'status' = 'succeeded'
  where t.status = 'succeeded' group by t.id having count(l.*) <> 1`

async function allEnded(standalone: Standalone, timeoutMs: number): Promise<void> {
  const open = async () => (await rows<{ n: number }>(standalone, openRuns).catch(() => [{ n: -1 }]))[0]?.n
  await waitFor(async () => (await open()) === 0, { timeoutMs, intervalMs: 500, what: 'every run ended' })
}

test('PostgreSQL killed and restarted every few seconds under 1,000 runs', { timeout: 600_000 }, async () => {
  const { standalone, sink, account, client, counted } = await deploy()
  const runs = 1_000
  const retry = { maxAttempts: 5, backoff: 'fixed', delay: '300ms', jitter: 'none' }
  await client.createWorkflow({
    name: 'three',
    tasks: { a: { uses: 'noop' }, b: { ...counted, needs: ['a'], retry }, c: { uses: 'noop', needs: ['b'] } },
  })
  const kills = killAgainAndAgain(standalone)
  for (let n = 0; n < runs; n += 50) {
    const items = Array.from({ length: 50 }, (_, i) => ({ labels: { n: String(n + i) } }))
    await startMany(() => client, 'three', items)
    await delay(700)
  }
  await waitFor(() => kills.count() >= 10, { timeoutMs: 120_000, what: 'ten kills' })
  const { count, awayMs } = await kills.end()
  await allEnded(standalone, 120_000)

  const statuses = await rows(standalone, `select status, count(*)::int as n from scheduler.runs group by 1`)
  expect(statuses).toEqual([{ status: 'succeeded', n: runs }])
  const labels = await rows<{ n: string }>(standalone, `select distinct labels ->> 'n' as n from scheduler.runs`)
  expect(labels).toHaveLength(runs)
  expect(await rows(standalone, wrongCompletions)).toEqual([])
  expect(await rows(standalone, wrongSuccesses)).toEqual([])
  const keys = sink.requests.filter(({ url }) => url === '/count').map(({ headers }) => String(headers['x-key']))
  expect(new Set(keys).size).toBe(runs)
  expect((await login({ url: client.url }, account)).token).toBeTruthy()
  expect(standalone.isRunning, 'the supervisor lives').toBe(true)
  const repeated = keys.length - runs
  const longest = Math.round(Math.max(...awayMs))
  note({ outage: 'postgres', kills: count, runs, repeated, longestAwayMs: longest })
  console.log(`kills of PostgreSQL: ${count}, away for ${longest} ms at most; repeated executions: ${repeated}`)
})

/**
 * Every few seconds, counted from when it answers again, so that it is not the machine's speed that is tested. Every
 * fourth time it is killed once more while it recovers.
 */
function killAgainAndAgain(standalone: Standalone) {
  let hurting = true
  let count = 0
  const awayMs: number[] = []
  const kill = (signal: NodeJS.Signals): boolean => {
    const file = join(standalone.dataDir, 'postgres', 'cluster', 'postmaster.pid')
    try {
      const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
      // A file half written, or one that names the supervisor for a moment: it is being started.
      if (!(pid > 1) || !commandLine(String(pid)).includes('postgres')) return false
      process.kill(pid, signal)
      count += 1
      return true
    } catch {
      return false
    }
  }
  const answers = () =>
    rows(standalone, 'select 1').then(
      () => true,
      () => false,
    )
  const hurt = (async () => {
    for (let round = 1; hurting; round++) {
      await delay(3_000)
      // At once, without goodbye: every connection breaks, and what was not committed is gone.
      if (!hurting || !kill(round % 2 === 0 ? 'SIGQUIT' : 'SIGKILL')) continue
      const began = performance.now()
      if (round % 4 === 0) await waitFor(() => kill('SIGKILL'), { timeoutMs: 60_000, intervalMs: 50 })
      await waitFor(answers, { timeoutMs: 120_000, intervalMs: 50, what: 'PostgreSQL back' })
      awayMs.push(performance.now() - began)
    }
  })()
  hurt.catch(() => undefined)
  return {
    count: () => count,
    end: async () => {
      hurting = false
      await hurt
      return { count, awayMs }
    },
  }
}

/** The scheduler's process is killed, and its successor is frozen before it serves. */
async function withoutScheduler(standalone: Standalone, forMs: number): Promise<void> {
  const cores = () =>
    readdirSync('/proc').filter((pid) => {
      if (!/^\d+$/.test(pid)) return false
      const command = commandLine(pid)
      return command.includes(standalone.dataDir) && command.includes('core.js')
    })
  const [before] = cores()
  if (before === undefined) throw new Error('there is no scheduler')
  process.kill(Number(before), 'SIGKILL')
  const next = await waitFor(() => cores().find((pid) => pid !== before), { timeoutMs: 30_000, intervalMs: 5 })
  process.kill(Number(next), 'SIGSTOP')
  await delay(forMs)
  process.kill(Number(next), 'SIGCONT')
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

test('no scheduler for 30 s while 200 tasks run: none is run twice', { timeout: 300_000 }, async () => {
  const { standalone, sink, client, counted } = await deploy({ MILLRACE_WORKER_CONCURRENCY: '250' })
  const tasks = 200
  // Half of them end while nobody is there to be told.
  let asked = 0
  sink.otherwise(() => ({ status: 200, delayMs: asked++ % 2 === 0 ? 15_000 : 45_000 }))
  await client.createWorkflow({ name: 'long', tasks: { only: { ...counted, retry: { maxAttempts: 1 } } } })
  await startMany(
    () => client,
    'long',
    Array.from({ length: tasks }, (_, n) => ({ labels: { n: String(n) } })),
  )
  await waitFor(() => sink.requests.length === tasks, { timeoutMs: 60_000, what: 'all tasks running' })

  await withoutScheduler(standalone, 30_000)

  await allEnded(standalone, 120_000)
  const statuses = await rows(standalone, `select status, count(*)::int as n from scheduler.runs group by 1`)
  expect(statuses).toEqual([{ status: 'succeeded', n: tasks }])
  expect(sink.requests, 'none is run twice').toHaveLength(tasks)
  expect(new Set(sink.requests.map(({ headers }) => headers['x-key'])).size).toBe(tasks)
  expect(
    await rows(standalone, `select id, losses, attempt from scheduler.tasks where losses > 0 or attempt > 1`),
  ).toEqual([])
  expect(await rows(standalone, wrongCompletions)).toEqual([])
})
