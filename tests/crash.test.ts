import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@millrace/testkit'
import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Account, type Client, login, newUser } from './support/client.js'
import { expectProblem } from './support/problems.js'
import type { Artifact, Explanation, Notification, Page, RunSummary, Upload } from './support/shapes.js'
import { startTarget, type Target, targetIsOwn } from './support/target.js'

vi.setConfig({ testTimeout: 150_000, hookTimeout: 60_000 })

const RUNS = 100
const definition = {
  name: 'three-steps',
  tasks: {
    first: { uses: 'noop', with: { output: '${{ input.n }}' } },
    second: {
      needs: ['first'],
      uses: 'fail',
      with: { times: '${{ input.failures }}' },
      retry: { maxAttempts: 4, backoff: 'fixed', delay: '200ms', jitter: 'none' },
    },
    third: { needs: ['second'], uses: 'sleep', with: { duration: '${{ input.nap }}' } },
  },
}

let target: Target | undefined

afterEach(async () => {
  await target?.close()
  target = undefined
})

/** One in the routine run; others by CRASH_SEEDS=1,2,3. */
const seeds = (process.env.CRASH_SEEDS ?? '20260').split(',').map(Number)

/** The same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** What was not answered may have begun or not: the key makes a second try safe. */
async function startAll(client: Client, random: () => number, onStarted: () => void): Promise<Map<string, object>> {
  const bodies = new Map<string, object>()
  for (let n = 0; n < RUNS; n++) {
    const input = { n, failures: random() < 0.3 ? 1 : 0, nap: `${Math.round(random() * 1500)}ms` }
    bodies.set(randomUUID(), { input, labels: { n: String(n) } })
  }
  const waiting = [...bodies]
  const drain = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [key, body] = next
      await client
        .call('POST', '/api/v1/workflows/three-steps/runs', { body, headers: { 'idempotency-key': key } })
        .catch(() => undefined)
      onStarted()
    }
  }
  await Promise.all(Array.from({ length: 6 }, drain))
  return bodies
}

/**
 * A run and its key are settled in one transaction. So a key that the crash left in progress has started nothing, and a
 * new key in its place must not make a second run.
 */
async function startOnce(client: Client, key: string, body: object): Promise<void> {
  const start = (idempotencyKey: string) =>
    client.call('POST', '/api/v1/workflows/three-steps/runs', { body, headers: { 'idempotency-key': idempotencyKey } })
  const reply = await start(key)
  if (reply.status === 202) return
  expectProblem(reply, 'a start that was cut off', 409, 'idempotency_in_progress')
  expect((await start(randomUUID())).status).toBe(202)
}

async function completedInDatabase(url: string): Promise<Map<string, number>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ key: string; n: number }>(
      `select key, count(*)::int as n from events.log where topic = 'workflow.completed' group by key`,
    )
    return new Map(rows.map(({ key, n }) => [key, n]))
  } finally {
    await client.end()
  }
}

async function crashInTheMiddle(seed: number): Promise<void> {
  const random = randomOf(seed)
  target = await startTarget()
  const { standalone, sink } = target
  if (!standalone) throw new Error('only a deployment of its own can be killed')
  sink.otherwise({ status: 200 })
  let { client, email, password }: Account = await newUser(target)
  await client.createWorkflow(definition)
  await client.want(201, 'POST', '/api/v1/subscriptions', {
    body: { events: ['workflow.completed'], channel: { type: 'webhook', url: `${sink.url}/done` } },
  })

  const crashAfter = Math.round(RUNS * (0.4 + random() * 0.5))
  let started = 0
  let crashed: Promise<void> | undefined
  const bodies = await startAll(client, random, () => {
    started += 1
    if (started === crashAfter) crashed = delay(random() * 300).then(() => standalone.crash())
  })
  await crashed
  expect(await client.call('GET', '/healthz').catch(() => 'gone')).toBe('gone')

  await standalone.start()
  client = await login(target, { email, password })
  for (const [key, body] of bodies) await startOnce(client, key, body)

  const listed = () => client.all<RunSummary>('/api/v1/runs?workflow=three-steps')
  const open = async () =>
    (await listed()).filter(({ status }) => !['succeeded', 'failed', 'cancelled'].includes(status))
  await waitFor(async () => (await open()).length === 0, {
    timeoutMs: 60_000,
    intervalMs: 250,
    what: 'every run ended',
  }).catch(async () => {
    const stuck = (await open())[0]
    const why = stuck && (await client.get<Explanation>(`/api/v1/runs/${stuck.id}/explain`))
    expect(why, `run ${stuck?.id} is stuck`).toBeUndefined()
  })
  const runs = await listed()
  expect(
    runs.map(({ labels }) => Number(labels.n)).sort((a, b) => a - b),
    'each start is one run',
  ).toEqual(Array.from({ length: RUNS }, (_, n) => n))
  expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([])
  for (const { id } of runs.filter((_, i) => i % 10 === 0)) {
    const run = await client.run(id)
    const { n } = run.input as { n: number }
    expect(run.tasks.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded'])
    expect(run.tasks[0]?.output).toBe(n)
    const { blockers, tasks } = await client.get<Explanation>(`/api/v1/runs/${id}/explain`)
    expect([blockers, tasks.flatMap((task) => task.blockers)]).toEqual([[], []])
  }

  const completions = await completedInDatabase(standalone.databaseUrl())
  expect([...completions.keys()].sort()).toEqual(runs.map(({ id }) => id).sort())
  expect(
    [...completions.values()].filter((n) => n !== 1),
    'completed once each',
  ).toEqual([])

  await waitFor(
    async () => (await client.all<Notification>('/api/v1/notifications?status=delivered')).length === RUNS,
    { timeoutMs: 30_000, intervalMs: 250, what: 'every notification delivered' },
  )
  const notifications = await client.all<Notification>('/api/v1/notifications')
  expect(new Set(notifications.map(({ runId }) => runId)).size).toBe(RUNS)
  expect(notifications).toHaveLength(RUNS)
  const received = new Map(
    sink.requests.map(({ headers, body }) => [
      String(headers['webhook-id']),
      (JSON.parse(body) as { data: { runId: string } }).data.runId,
    ]),
  )
  expect([...received.values()].sort(), 'one webhook-id for each run').toEqual(runs.map(({ id }) => id).sort())
  expect(await standalone.stop(), 'stops cleanly afterwards').toBe(0)
}

describe.runIf(targetIsOwn)('kill -9 of everything in the middle of 100 runs', () => {
  test.each(seeds)('seed %i: every run ends, none twice, nothing stuck', crashInTheMiddle)
})

test.runIf(targetIsOwn)('a stop and a start on the same data lose nothing', async () => {
  target = await startTarget()
  const { standalone, url } = target
  if (!standalone) throw new Error('only a deployment of its own can be stopped')
  const account = await newUser(target)
  const { client } = account
  const { key } = await client.createKey('viewer')
  await client.createWorkflow(definition)
  const done = await client.startRun('three-steps', { input: { n: 1, failures: 0, nap: '1ms' } })
  const before = await client.ended(done.id)
  const upload = await client.want<Upload>(201, 'POST', '/api/v1/artifacts', {
    body: { name: 'kept.txt', runId: done.id },
  })
  const put = { method: 'PUT', headers: upload.uploadHeaders, body: 'kept' }
  expect((await fetch(new URL(upload.uploadUrl, url), put)).ok).toBe(true)
  await client.want(200, 'POST', `/api/v1/artifacts/${upload.id}/complete`)
  const { url: signed } = await client.want<{ url: string }>(200, 'POST', `/api/v1/artifacts/${upload.id}/presign`, {
    body: { expiresIn: 600 },
  })
  const going = await client.startRun('three-steps', { input: { n: 2, failures: 1, nap: '3s' } })
  await client.runUntil(going.id, 'is asleep', ({ tasks }) => tasks[2]?.status === 'running')

  expect(await standalone.stop()).toBe(0)
  await standalone.start()

  expect(await client.run(done.id), 'the token still works, the run is the same').toEqual(before)
  expect((await client.as(key).get<Page<RunSummary>>('/api/v1/runs')).items).toHaveLength(2)
  const again = await login(target, account)
  expect(await again.get(`/api/v1/workflows/three-steps`)).toMatchObject({ version: 1 })
  expect(await again.get<Artifact>(`/api/v1/artifacts/${upload.id}`)).toMatchObject({ name: 'kept.txt', size: 4 })
  expect(await (await fetch(new URL(signed, url))).text()).toBe('kept')
  expect(await again.ended(going.id)).toMatchObject({ status: 'succeeded' })
  const logs = await again.call('GET', `/api/v1/runs/${done.id}/logs`)
  expect(logs.text.split('\n').length).toBeGreaterThan(6)
})
