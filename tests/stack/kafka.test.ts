import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@millrace/testkit'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Client, newUser, uniqueName } from '../support/client.js'
import { leisure, outageMs, recordedWithinMs, StackControl } from '../support/stack.js'
import { startTarget, type Target } from '../support/target.js'

const stack = new StackControl()
/** Two minutes, when the others last half a minute. */
const brokerOutageMs = outageMs * 4
let target: Target
let client: Client
beforeAll(async () => {
  target = await startTarget()
  client = (await newUser(target)).client
})
afterEach(() => stack.restore())
afterAll(() => target.close())

async function newWorkflow(): Promise<string> {
  const tasks = { a: { uses: 'noop' }, b: { needs: ['a'], uses: 'noop' } }
  return (await client.createWorkflow({ name: uniqueName('load'), tasks })).name
}

/** Starts runs until told to stop; every one must be accepted. */
function loadOn(workflow: string) {
  const ids: string[] = []
  let going = true
  const done = (async () => {
    while (going) {
      ids.push((await client.startRun(workflow)).id)
      await delay(500)
    }
  })()
  return {
    ids,
    async stop(): Promise<string[]> {
      going = false
      await done
      return ids
    },
  }
}

/** Everything that was written while the broker was away has reached it. */
async function expectDrained(): Promise<void> {
  const began = Date.now()
  const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 1 })
  try {
    const left = async () => Number((await pool.query('select count(*) as n from events.log')).rows[0].n)
    await waitFor(async () => (await left()) === 0, { timeoutMs: 60_000 * leisure, what: 'the outbox is drained' })
  } finally {
    await pool.end()
  }
  process.stdout.write(`the outbox was drained ${Date.now() - began} ms after the broker came back\n`)
}

/** Every run and job is told of in full: no event was lost on the way. */
async function expectRecorded(ids: string[], timeoutMs: number): Promise<void> {
  const began = Date.now()
  const until = began + timeoutMs
  for (const id of ids) {
    const run = await client.ended(id, 120_000)
    expect(run.status).toBe('succeeded')
    for (const { jobId, key } of run.tasks) {
      await waitFor(
        async () => {
          const { status, body } = await client.call<{ status: string }>('GET', `/api/v1/jobs/${jobId}`)
          return status === 200 && body.status === 'succeeded'
        },
        { timeoutMs: Math.max(1_000, until - Date.now()), what: `job ${key} of run ${id} is recorded` },
      )
    }
  }
  process.stdout.write(`all ${ids.length} runs had ended and were recorded ${Date.now() - began} ms after that\n`)
}

test('the broker gone: what runs goes on, new runs are accepted and start when it is back, nothing is lost', {
  timeout: brokerOutageMs + recordedWithinMs + 300_000,
}, async () => {
  const workflow = await newWorkflow()
  // Each of its ten tasks takes a second: it is under way when the broker goes, and ends while it is away.
  const steps = Array.from({ length: 10 }, (_, i) => [
    `s${i}`,
    { uses: 'sleep', with: { duration: '1s' }, ...(i === 0 ? {} : { needs: [`s${i - 1}`] }) },
  ])
  const underWay = await client.runTasks(Object.fromEntries(steps))
  await client.runUntil(underWay.id, 'began', (run) => run.status === 'running', 60_000)
  await stack.takeDown('kafka')
  const until = Date.now() + brokerOutageMs
  const load = loadOn(workflow)
  expect((await client.ended(underWay.id, Math.max(brokerOutageMs, 60_000))).status).toBe('succeeded')
  expect(stack.entry('kafka').state).toBe('held')
  while (Date.now() < until) await delay(500)
  const ids = await load.stop()
  await stack.bringBack('kafka')
  await expectDrained()
  await expectRecorded([...ids, underWay.id], recordedWithinMs)
})

test('the broker killed five times under load: nothing is lost', {
  timeout: recordedWithinMs + 1_500_000,
}, async () => {
  const load = loadOn(await newWorkflow())
  for (let round = 0; round < 5; round += 1) {
    const { restarts } = stack.entry('kafka')
    stack.kill('kafka')
    await waitFor(() => stack.entry('kafka').restarts > restarts && stack.entry('kafka').state === 'up', {
      timeoutMs: 300_000,
      what: 'the broker is back',
    })
    await delay(2_000)
  }
  const ids = await load.stop()
  await expectDrained()
  await expectRecorded(ids, recordedWithinMs)
})
