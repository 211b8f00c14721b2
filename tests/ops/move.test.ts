import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HttpSink, httpSink, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack, stopStack, type TemporaryStack } from '../../infra/tooling/temporary-stack.mjs'
import { Client, newUser } from '../support/client.js'
import { pathWithPostgresTools } from '../support/postgres-tools.js'
import type { Page, RunSummary } from '../support/shapes.js'
import { Standalone } from '../support/standalone.js'

const root = join(import.meta.dirname, '../..')
const admin = { email: 'admin@millrace.local', password: 'a-password-for-tests-only' }
const timeoutMs = 120_000

let folder: string
let sink: HttpSink
let standalone: Standalone
let stack: TemporaryStack | undefined
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-move-'))
  chmodSync(folder, 0o711)
  sink = await httpSink()
  standalone = await Standalone.make({
    MILLRACE_EGRESS_ALLOW: `127.0.0.1:${sink.port}`,
    MILLRACE_ADMIN_EMAIL: admin.email,
    MILLRACE_ADMIN_PASSWORD: admin.password,
  })
  await standalone.start()
})
afterAll(async () => {
  if (stack) await stopStack(stack)
  await standalone?.remove()
  await sink?.close()
  rmSync(folder, { recursive: true, force: true })
})

const textOf = 'x'.repeat(100_000)

/** A run that has ended, with lines of logs, an output over 64 KiB and a file. */
async function finishOne(client: Client) {
  await client.createWorkflow({
    name: 'finished',
    tasks: { large: { uses: 'transform', with: { value: '${{ input.text }}' } }, items: map },
  })
  const started = await client.startRun('finished', { input: { text: textOf }, labels: { of: 'before' } })
  const run = await client.ended(started.id, timeoutMs)
  const upload = await client.want<{ id: string; uploadUrl: string; uploadHeaders: Record<string, string> }>(
    201,
    'POST',
    '/api/v1/artifacts',
    { body: { name: 'kept.txt', runId: run.id, contentType: 'text/plain' } },
  )
  const put = { method: 'PUT', headers: upload.uploadHeaders, body: 'kept' }
  expect((await fetch(new URL(upload.uploadUrl, client.url), put)).ok).toBe(true)
  await client.want(200, 'POST', `/api/v1/artifacts/${upload.id}/complete`)
  return { run, artifactId: upload.id }
}

const map = { uses: 'map', with: { items: [1, 2, 3], task: { uses: 'noop' } } }

/** Without their positions, which are each store's own. */
const linesOf = async (client: Client, runId: string) =>
  (await client.call('GET', `/api/v1/runs/${runId}/logs`)).text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ ...JSON.parse(line), position: '' }))

const jobsOf = (client: Client, runId: string) => client.all<{ id: string }>(`/api/v1/jobs?run=${runId}`)

const contentOf = async (client: Client, id: string) => {
  const { url } = await client.want<{ url: string }>(200, 'POST', `/api/v1/artifacts/${id}/presign`, {
    body: { expiresIn: 600 },
  })
  return await (await fetch(new URL(url, client.url))).text()
}

/** Waits for a person, sleeps, and waits for its next attempt. */
async function startWaiting(client: Client): Promise<RunSummary> {
  await client.createWorkflow({
    name: 'under-way',
    tasks: {
      first: { uses: 'transform', with: { value: '${{ input.n }}' } },
      ask: { uses: 'approval', needs: ['first'] },
      nap: { uses: 'sleep', needs: ['first'], with: { duration: '20s' } },
      again: {
        uses: 'fail',
        needs: ['first'],
        with: { times: 1 },
        retry: { maxAttempts: 2, delay: '20s', backoff: 'fixed', jitter: 'none' },
      },
      tell: {
        uses: 'http',
        needs: ['ask', 'nap', 'again'],
        with: { url: `${sink.url}/told`, headers: { 'x-secret': '${{ secrets.token }}' } },
      },
    },
    output: { n: '${{ tasks.first.output }}' },
  })
  const run = await client.startRun('under-way', { input: { n: 7 } })
  await client.runUntil(run.id, 'waits', ({ tasks }) =>
    tasks.some(({ key, status, attempt }) => key === 'again' && status !== 'running' && attempt === 1),
  )
  return run
}

function move(): void {
  const env = { ...process.env, PATH: pathWithPostgresTools(), MILLRACE_NODE: 'system' }
  const exported = join(folder, 'export')
  const node = (args: string[], dataDir: string) =>
    execFileSync(process.execPath, args, { env: { ...env, MILLRACE_DATA_DIR: dataDir }, stdio: 'inherit' })
  node([join(root, 'infra/tooling/export.mjs'), exported], standalone.dataDir)
  node([join(root, 'infra/stack/supervisor/dist/main.js'), 'import', exported], join(folder, 'data'))
}

test('a standalone moves to a stack: all that it knew is there, and its runs go on', { timeout: 900_000 }, async () => {
  const account = await newUser({ url: `http://127.0.0.1:${standalone.port}` })
  const { client } = account
  const { key } = await client.createKey('viewer')
  const secret = `of ${randomUUID()}`
  await client.want(200, 'PUT', '/api/v1/secrets/token', { body: { value: secret } })
  const hook = { events: ['workflow.completed'], channel: { type: 'webhook', url: `${sink.url}/hook` } }
  await client.want(201, 'POST', '/api/v1/subscriptions', { body: hook })
  const { run: finished, artifactId } = await finishOne(client)
  await client.createWorkflow({ name: 'ticking', tasks: { a: { uses: 'noop' } } })
  await client.want(201, 'POST', '/api/v1/schedules', { body: { workflow: 'ticking', cron: '*/2 * * * * *' } })
  const waiting = await startWaiting(client)
  await waitFor(async () => (await jobsOf(client, finished.id)).length === finished.tasks.length, { timeoutMs })
  const lines = await waitFor(async () => {
    const found = await linesOf(client, finished.id)
    return found.length >= 5 && found
  })
  const jobs = await jobsOf(client, finished.id)
  const ticks = (await client.all<RunSummary>('/api/v1/runs?workflow=ticking')).length
  expect(await standalone.stop()).toBe(0)

  move()
  expect(existsSync(join(folder, 'data/stack/first-admin.json')), 'no password is shown that nobody has').toBe(false)
  stack = await startStack(folder, { MILLRACE_EGRESS_ALLOW: `127.0.0.1:${sink.port}` })
  const after = new Client(stack.env.MILLRACE_TARGET_URL ?? '', client.token)

  expect(await after.run(finished.id), 'by a token that the standalone signed').toEqual(finished)
  expect(await linesOf(after, finished.id)).toEqual(lines)
  expect(await jobsOf(after, finished.id)).toEqual(jobs)
  expect(await contentOf(after, artifactId)).toBe('kept')
  const { large } = await after.get<{ large: { $artifact: string } }>(`/api/v1/runs/${finished.id}/results`)
  expect(JSON.parse(await contentOf(after, large.$artifact))).toBe(textOf)
  expect((await after.as(key).get<Page<RunSummary>>('/api/v1/runs?workflow=finished')).items).toHaveLength(1)
  await after.as(undefined).want(200, 'POST', '/api/v1/auth/login', {
    body: { email: account.email, password: account.password },
  })
  await after.as(undefined).want(200, 'POST', '/api/v1/auth/login', { body: admin })

  await after.want(200, 'POST', `/api/v1/runs/${waiting.id}/tasks/ask/approve`, { body: {} })
  const run = await after.ended(waiting.id, timeoutMs)
  expect(run).toMatchObject({ status: 'succeeded', output: { n: 7 } })
  expect(run.tasks.find((task) => task.key === 'again')?.attempt).toBe(2)
  const told = sink.requests.filter(({ url }) => url === '/told')
  expect(told.map(({ headers }) => headers['x-secret'])).toEqual([secret])
  await waitFor(async () => (await after.all<RunSummary>('/api/v1/runs?workflow=ticking')).length > ticks + 1, {
    timeoutMs,
    what: 'the schedule goes on',
  })
  await waitFor(() => hooksOf(waiting.id) === 1, { timeoutMs, what: 'the webhook of the run that went on' })
  expect(hooksOf(finished.id), 'nothing is told again').toBe(1)
  expect((await after.ended((await after.startRun('finished', { input: { text: 'new' } })).id, timeoutMs)).status).toBe(
    'succeeded',
  )
})

const hooksOf = (runId: string): number =>
  sink.requests.filter(({ url, body }) => url === '/hook' && body.includes(runId)).length
