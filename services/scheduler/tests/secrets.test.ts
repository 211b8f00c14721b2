import type { scheduler } from '@millrace/contracts'
import { unavailable } from '@millrace/errors'
import { waitFor } from '@millrace/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Harness, projectId, type Result, resultOf, TestWorker } from './support/harness.js'

const secret = (name: string) => `\${{ secrets.${name} }}`
const VALUE = 'plant-7f3a"\\\n\u{1F511}-value'

let harness: Harness
let values: Map<string, string>
let unreadable: Set<string>
let asked: string[][]
let outage: Error | undefined
const workers: TestWorker[] = []

beforeEach(async () => {
  harness = await Harness.start()
  values = new Map([['t', VALUE]])
  unreadable = new Set()
  asked = []
  outage = undefined
  harness.fetchSecrets = async (project, names) => {
    asked.push([...names])
    expect(project).toBe(projectId)
    if (outage) throw outage
    return { values: new Map([...values].filter(([name]) => names.includes(name))), unreadable }
  }
})

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
  await harness.stop()
})

async function startWorker(work: (lease: scheduler.Lease__Output) => Result = () => ({}), slots = 10) {
  const worker = await new TestWorker(harness.dispatch(), work, slots).start()
  workers.push(worker)
  return worker
}

const inputs = (worker: TestWorker) => worker.executed.map((lease) => JSON.parse(lease.inputJson))
const taskOf = async (runId: string) => {
  const [task] = (await harness.run(runId)).tasks
  if (!task) throw new Error('the run has no task')
  return task
}

/** Every row of every table of the engine and of the log, as text. */
async function everyRow(): Promise<string> {
  const { rows: tables } = await harness.pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('scheduler', 'events') and table_type = 'BASE TABLE'`,
  )
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await harness.pool.query<{ row: string }>(`select t::text as row from ${name} t`)
    texts.push(...rows.map(({ row }) => row))
  }
  return texts.join('\n')
}

describe('a secret', () => {
  it('is refused where it would become an argument of a program, in a map too', async () => {
    const shell = { uses: 'shell', with: { args: ['echo', `x${secret('t')}`] }, onFailure: 'continue' }
    const child = { uses: 'shell', with: shell.with }
    const version = harness.define({
      tasks: {
        a: shell,
        b: { uses: 'map', with: { items: [1], task: child }, onFailure: 'continue' },
        c: { uses: 'shell', with: { args: ['env'], env: { T: secret('t') } } },
      },
    })
    const worker = await startWorker()
    const runId = await harness.one(version)
    await harness.ended(runId)
    expect(inputs(worker)).toEqual([{ args: ['env'], env: { T: VALUE } }])
    const failed = (await harness.run(runId)).tasks.filter(
      ({ key, index }) => key === 'a' || (key === 'b' && index === 0),
    )
    expect(failed).toMatchObject(
      failed.map(() => ({ attempt: 1, error: { class: 'validation', code: 'secret_misplaced' } })),
    )
    expect(failed).toHaveLength(2)
  })

  it('reaches the worker, which is told to hide it, and stays out of every table', async () => {
    const work = (lease: scheduler.Lease__Output): Result =>
      lease.key === 'b' ? { error: { class: 'user', retryable: false } } : {}
    const version = harness.define({
      tasks: {
        a: { uses: 'http', with: { url: 'https://x.example', headers: { auth: `Bearer ${secret('t')}` } } },
        b: {
          needs: ['a'],
          uses: 'custom.fn',
          retry: { maxAttempts: 1 },
          with: { list: [secret('t')], n: `\${{ input.n }}` },
        },
      },
    })
    const worker = await startWorker(work)
    const runId = await harness.one(version, { n: 3 })
    await harness.ended(runId)
    expect(inputs(worker)).toEqual([
      { url: 'https://x.example', headers: { auth: `Bearer ${VALUE}` } },
      { list: [VALUE], n: 3 },
    ])
    expect(worker.executed.map((lease) => [...lease.secrets])).toEqual([[VALUE], [VALUE]])
    const rows = await everyRow()
    expect(rows).toContain(secret('t'))
    expect(rows).not.toContain('plant-7f3a')
    const { deadLetters } = await harness.internal().listDeadLetters({ projectId, runId, limit: 10 })
    expect(deadLetters.map((deadLetter) => JSON.parse(deadLetter.inputJson))).toEqual([{ list: [secret('t')], n: 3 }])
  })

  it('cannot be had by text that only looks like one', async () => {
    const version = harness.define({
      tasks: {
        a: { uses: 'noop', with: { output: [`\${{ input.x }}`, `${secret('t')} \${{ input.x }} ${secret('t')}`] } },
        b: { needs: ['a'], uses: 'noop', with: { output: `\${{ tasks.a.output }}` } },
      },
    })
    values.set('other', 'another value')
    const forged = `${secret('t')} ${secret('other')}`
    const worker = await startWorker(() => ({ output: { input: secret('t'), secrets: [] } }))
    await harness.ended(await harness.one(version, { x: forged }))
    expect(inputs(worker)).toEqual([
      { output: [forged, `${VALUE} ${forged} ${VALUE}`] },
      { output: { input: secret('t'), secrets: [] } },
    ])
    expect(asked).toEqual([['t']])
  })

  it('that does not exist fails the task, once, before any worker has it', async () => {
    const version = harness.define({
      tasks: { a: { uses: 'noop', with: { output: `${secret('gone')}${secret('t')}` } } },
    })
    const worker = await startWorker()
    const runId = await harness.one(version)
    expect((await harness.ended(runId)).run?.status).toBe('failed')
    const message = 'there is no secret gone'
    expect((await taskOf(runId)).error).toMatchObject({ class: 'validation', code: 'secret_not_found', message })
    expect((await taskOf(runId)).attempt).toBe(1)
    expect(worker.executed).toEqual([])
    const { deadLetters } = await harness.internal().listDeadLetters({ projectId, runId, limit: 10 })
    expect(deadLetters).toHaveLength(1)
    values.set('gone', 'made')
    await harness.internal().retryRun({ projectId, runId })
    expect((await harness.ended(runId)).run?.status).toBe('succeeded')
    expect(inputs(worker)).toEqual([{ output: `made${VALUE}` }])
  })

  it('that iam cannot open fails the task', async () => {
    unreadable.add('t')
    values.delete('t')
    await startWorker()
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'noop', with: { output: secret('t') } } } }))
    await harness.ended(runId)
    expect((await taskOf(runId)).error).toMatchObject({ class: 'validation', code: 'secret_unreadable' })
  })

  it('that makes the input too large fails the task', async () => {
    values.set('t', 'x'.repeat(64 * 1024))
    await startWorker()
    const output = Array.from({ length: 40 }, () => secret('t'))
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'noop', with: { output } } } }))
    await harness.ended(runId)
    expect((await taskOf(runId)).error).toMatchObject({ class: 'validation', code: 'input_too_large' })
  })

  it('is asked for once a moment, and its new value is seen after that', async () => {
    const version = harness.define({ tasks: { a: { uses: 'noop', with: { output: secret('t') } } } })
    const worker = await startWorker()
    const ids = await harness.request(version, 20)
    for (const id of ids) await harness.ended(id)
    expect(asked.length).toBeLessThan(10)
    values.set('t', 'changed')
    await waitFor(
      async () => {
        await harness.ended(await harness.one(version))
        return inputs(worker).at(-1)?.output === 'changed'
      },
      { timeoutMs: 5000 },
    )
    values.delete('t')
    const failed = async () => (await harness.ended(await harness.one(version))).run?.status === 'failed'
    await waitFor(failed, { timeoutMs: 5000 })
  })
})

describe('while iam cannot be asked', () => {
  it('tasks wait without using up attempts or hammering iam, others go on, and all end well after it', async () => {
    outage = unavailable('down', 'iam is down')
    const worker = await startWorker()
    const version = harness.define({
      tasks: { a: { uses: 'noop', timeout: '100ms', priority: 9, with: { output: secret('t') } } },
    })
    const ids = await harness.request(version, 30)
    const other = harness.define({ tasks: { a: { uses: 'noop', priority: 0 } } })
    for (const id of await harness.request(other, 5)) await harness.ended(id)
    const since = asked.length
    await new Promise((resolve) => setTimeout(resolve, 3500))
    expect(asked.length - since).toBeGreaterThan(2)
    expect(asked.length - since).toBeLessThan(20)
    expect(worker.executed).toHaveLength(5)
    outage = undefined
    for (const id of ids) expect((await harness.ended(id)).run?.status).toBe('succeeded')
    expect(worker.executed.slice(5).map((lease) => lease.attempt)).toEqual(ids.map(() => 1))
    const { rows } = await harness.pool.query('select max(losses) as losses, max(attempt) as attempts from tasks')
    expect(rows).toEqual([{ losses: 0, attempts: 1 }])
  })

  it('a stop hands back what waits', async () => {
    outage = unavailable('down', 'iam is down')
    const second = await harness.startScheduler()
    const client = harness.dispatch(second)
    const { sessionId: id, sessionSecret } = await client.register({
      name: 'w',
      executors: ['noop'],
      queues: [],
      concurrency: 1,
    })
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'noop', with: { output: secret('t') } } } }))
    await waitFor(async () => (await taskOf(runId)).status === 'queued')
    await client.leaseTasks({ session: { id, secret: sessionSecret }, max: 1, waitMs: 1000 })
    await second.stop()
    const { rows } = await harness.pool.query('select status, attempt, losses from tasks where run_id = $1', [runId])
    expect(rows).toEqual([{ status: 'queued', attempt: 1, losses: 0 }])
  })
})

describe('a dead letter', () => {
  const tasks = {
    a: { uses: 'http', retry: { maxAttempts: 1 }, with: { url: `https://\${{ input.host }}`, body: secret('t') } },
  }
  const failing = (lease: scheduler.Lease__Output): Result =>
    lease.inputJson.includes('bad') ? { error: { class: 'user', retryable: false } } : {}

  async function makeDeadLetter(): Promise<scheduler.DeadLetter__Output> {
    const runId = await harness.one(harness.define({ tasks }), { host: 'bad.example' })
    await harness.ended(runId)
    const { deadLetters } = await harness.internal().listDeadLetters({ projectId, runId, limit: 1 })
    if (!deadLetters[0]) throw new Error('there is no dead letter')
    return deadLetters[0]
  }

  it('retried with an input of an editor has its secrets again', async () => {
    const worker = await startWorker(failing)
    const deadLetter = await makeDeadLetter()
    const shown = JSON.parse(deadLetter.inputJson)
    expect(shown).toEqual({ url: 'https://bad.example', body: secret('t') })
    const inputJson = JSON.stringify({ ...shown, url: 'https://good.example', more: `${secret('t')}${secret('x')}` })
    await harness.internal().retryDeadLetter({ projectId, id: deadLetter.id, inputJson, mayPlaceSecrets: true })
    expect((await harness.ended(deadLetter.runId)).run?.status).toBe('succeeded')
    expect(inputs(worker).at(-1)).toEqual({ url: 'https://good.example', body: VALUE, more: `${VALUE}${secret('x')}` })
  })

  it('takes no secrets from those who may not write definitions', async () => {
    const worker = await startWorker(failing)
    const deadLetter = await makeDeadLetter()
    const retry = (input: object) =>
      harness.internal().retryDeadLetter({ projectId, id: deadLetter.id, inputJson: JSON.stringify(input) })
    await expect(retry({ url: 'https://evil.example', body: secret('t') })).rejects.toMatchObject({
      reason: 'secrets_need_editor',
    })
    await retry({ url: 'https://good.example', body: 'none' })
    await harness.ended(deadLetter.runId)
    expect(inputs(worker).at(-1)).toEqual({ url: 'https://good.example', body: 'none' })
  })
})

describe('a reply', () => {
  it.each([
    ['without secrets', 'x'.repeat(700 * 1024), 2],
    ['with secrets', `${'x'.repeat(1000 * 1024)}`, 2],
  ])('stops at 2 MiB of payload %s; the rest comes with the next', async (what, filler, most) => {
    values.set('t', 'y'.repeat(60 * 1024))
    const output = what === 'with secrets' ? [filler, secret('t')] : filler
    const version = harness.define({ tasks: { a: { uses: 'noop', with: { output } } } })
    const client = harness.dispatch()
    const answer = await client.register({ name: 'w', executors: ['noop'], queues: [], concurrency: 10 })
    const session = { id: answer.sessionId, secret: answer.sessionSecret }
    const ids = await harness.request(version, 6)
    for (const id of ids) await waitFor(async () => (await taskOf(id)).status === 'queued')
    const seen = new Set<string>()
    let { leases } = await client.leaseTasks({ session, max: 10, waitMs: 2000 })
    while (leases.length > 0) {
      expect(leases.length).toBeLessThanOrEqual(most)
      for (const lease of leases) seen.add(lease.taskId)
      const results = leases.map((lease) => resultOf(lease, {}))
      leases = (await client.reportResults({ session, results, want: 10 })).leases
    }
    expect(seen.size).toBe(6)
    for (const id of ids) expect((await harness.ended(id)).run?.status).toBe('succeeded')
    const { rows } = await harness.pool.query('select max(token) as token from tasks')
    expect(rows).toEqual([{ token: 1 }])
  })
})
