import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@millrace/testkit'
import { expect, test } from 'vitest'
import { allEnded, deployments, processesOf, rows, startMany, wrongCompletions, wrongSuccesses } from './deployment.js'
import { note } from './record.js'

const own = deployments()

const slots = 100
const leaseMs = 1_000
/** Past the lease, and past the reaper's next look. */
const frozenMs = 2_000
/** Well within the time that a worker is frozen: its results are there when it wakes, and it reports them at once. */
const taskMs = 400
const wantedTrials = Number(process.env.CHAOS_TRIALS ?? 10_000)

const metric = async (url: string, name: string): Promise<number> => {
  const text = await (await fetch(url)).text()
  return text
    .split('\n')
    .filter((line) => line.startsWith(name) && !line.startsWith('#'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** Where more than one result of a task was accepted, or one under another lease than the last. */
const acceptedUnderOldLease = `select t.id from scheduler.tasks t
  join events.log l on l.topic = 'task.completed' and l.subject = t.id::text
  group by t.id, t.token, t.lease_id
  having count(*) <> 1 or bool_or((l.data ->> 'token')::bigint <> t.token or l.data ->> 'leaseId' <> t.lease_id::text)`

test('a worker that was stopped past its leases and goes on has no result accepted that came too late', {
  timeout: 3_600_000,
}, async () => {
  const env = {
    MILLRACE_WORKERS: '2',
    MILLRACE_WORKER_CONCURRENCY: String(slots),
    MILLRACE_LEASE_MS: String(leaseMs),
  }
  const { standalone, sink, client, counted } = await own(env)
  const metricsUrl = /metrics +(http\S+)/.exec(standalone.output)?.[1] ?? ''
  sink.otherwise({ status: 200, delayMs: taskMs })
  await client.createWorkflow({ name: 'held', tasks: { only: { ...counted, retry: { maxAttempts: 1 } } } })
  let runs = 0
  let feeding = true
  const feeder = (async () => {
    while (feeding) {
      const [waiting] = await rows<{ n: number }>(standalone, 'select count(*)::int as n from scheduler.task_queue')
      if ((waiting?.n ?? 0) < 4 * slots) {
        const items = Array.from({ length: 200 }, () => ({ labels: { n: String(runs++) } }))
        await startMany(() => client, 'held', items)
      } else await delay(100)
    }
  })()
  feeder.catch(() => undefined)
  let trials = 0
  let stops = 0
  while (trials < wantedTrials) {
    const registered = `select id from scheduler.sessions where state = 'active' and until > clock_timestamp()`
    await waitFor(async () => (await rows(standalone, registered)).length >= 2, { timeoutMs: 60_000, what: 'workers' })
    await delay(taskMs)
    const pids = processesOf(standalone, 'worker.js')
    const pid = pids[stops % pids.length]
    if (!pid) throw new Error('there is no worker')
    process.kill(pid, 'SIGSTOP')
    await delay(frozenMs)
    process.kill(pid, 'SIGCONT')
    stops += 1
    trials = await metric(metricsUrl, 'millrace_scheduler_requeued_total{why="lost_worker"')
  }
  feeding = false
  await feeder
  await allEnded(standalone, 120_000)
  const stale = await metric(metricsUrl, 'millrace_scheduler_stale_reports_total')
  const statuses = await rows(standalone, 'select status, count(*)::int as n from scheduler.runs group by 1')
  expect(statuses, 'none lost').toEqual([{ status: 'succeeded', n: runs }])
  expect(await rows(standalone, wrongCompletions)).toEqual([])
  expect(await rows(standalone, wrongSuccesses), 'none accepted twice').toEqual([])
  expect(await rows(standalone, acceptedUnderOldLease), 'accepted though stale').toEqual([])
  note({ outage: 'worker stopped past its leases', stops, trials, runs, refused: stale })
  console.log(`${trials} leases outlived in ${stops} stops, ${runs} runs; ${stale} stale results came and were refused`)
  expect(stale, 'results came too late').toBeGreaterThan(0)
})
