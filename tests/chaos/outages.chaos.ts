import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@millrace/testkit'
import { expect, test } from 'vitest'
import { login } from '../support/client.js'
import { commandLine, type Standalone } from '../support/standalone.js'
import { allEnded, deployments, processesOf, rows, startMany, wrongCompletions, wrongSuccesses } from './deployment.js'
import { note } from './record.js'

const own = deployments()

test('PostgreSQL killed and restarted every few seconds under 1,000 runs', { timeout: 600_000 }, async () => {
  const { standalone, sink, account, client, counted } = await own()
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
  const cores = () => processesOf(standalone, 'core.js')
  const [before] = cores()
  if (before === undefined) throw new Error('there is no scheduler')
  process.kill(before, 'SIGKILL')
  const next = await waitFor(() => cores().find((pid) => pid !== before), { timeoutMs: 30_000, intervalMs: 5 })
  process.kill(next, 'SIGSTOP')
  await delay(forMs)
  process.kill(next, 'SIGCONT')
}

test('no scheduler for 30 s while 200 tasks run: none is run twice', { timeout: 300_000 }, async () => {
  const { standalone, sink, client, counted } = await own({ MILLRACE_WORKER_CONCURRENCY: '250' })
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
