import { randomUUID } from 'node:crypto'
import { type HttpSink, waitFor } from '@millrace/testkit'
import { expect } from 'vitest'
import type { Client } from './client.js'
import type { Run, RunSummary } from './shapes.js'

const timeoutMs = 120_000

/** What a deployment knows of a user, and what must be known of it wherever its data is opened next. */
export interface KeptData {
  secret: string
  finished: Run
  jobs: unknown[]
  lines: unknown[]
  artifactId: string
  content: string
  /** Between two tasks of its own. */
  asleep: RunSummary
}

const jobsOf = (client: Client, runId: string) => client.all<{ status: string }>(`/api/v1/jobs?run=${runId}`)

/** Without their positions, which tell how far a reader of this database is. */
const logLinesOf = async (client: Client, runId: string): Promise<unknown[]> =>
  (await client.call('GET', `/api/v1/runs/${runId}/logs`)).text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ ...JSON.parse(line), position: '' }))

async function contentOf(client: Client, artifactId: string): Promise<string> {
  const path = `/api/v1/artifacts/${artifactId}/presign`
  const { url } = await client.want<{ url: string }>(200, 'POST', path, { body: { expiresIn: 600 } })
  return (await fetch(new URL(url, client.url))).text()
}

async function keepArtifact(client: Client, runId: string, content: string): Promise<string> {
  const body = { name: 'kept.txt', runId, contentType: 'text/plain' }
  const made = await client.want<{ id: string; uploadUrl: string; uploadHeaders: Record<string, string> }>(
    201,
    'POST',
    '/api/v1/artifacts',
    { body },
  )
  const put = { method: 'PUT', headers: made.uploadHeaders, body: content }
  expect((await fetch(new URL(made.uploadUrl, client.url), put)).ok).toBe(true)
  await client.want(200, 'POST', `/api/v1/artifacts/${made.id}/complete`)
  return made.id
}

/** The last thing made: whoever stops the deployment has to do so while it sleeps. */
async function startAsleep(client: Client, sink: HttpSink): Promise<RunSummary> {
  await client.createWorkflow({
    name: 'asleep',
    tasks: {
      a: { uses: 'noop' },
      b: { uses: 'sleep', needs: ['a'], with: { duration: '30s' } },
      c: {
        uses: 'http',
        needs: ['b'],
        with: { url: `${sink.url}/told`, headers: { 'x-secret': '${{ secrets.token }}' } },
      },
    },
  })
  const run = await client.startRun('asleep')
  await client.runUntil(run.id, 'sleeping', ({ tasks }) =>
    tasks.some(({ key, status }) => key === 'a' && status === 'succeeded'),
  )
  return run
}

/** A secret, a run that has ended with its history, an artifact, and a run that sleeps before it uses the secret. */
export async function makeKeptData(client: Client, sink: HttpSink): Promise<KeptData> {
  const secret = `secret of ${randomUUID()}`
  await client.want(200, 'PUT', '/api/v1/secrets/token', { body: { value: secret } })
  const flaky = { uses: 'fail', with: { times: 1 }, retry: { maxAttempts: 2, delay: '10ms' } }
  await client.createWorkflow({ name: 'finished', tasks: { flaky, last: { uses: 'noop', needs: ['flaky'] } } })
  const started = await client.startRun('finished', { labels: { of: 'before' } })
  const finished = await client.ended(started.id, timeoutMs)
  expect(finished.status).toBe('succeeded')
  const content = `content of ${randomUUID()}`
  const artifactId = await keepArtifact(client, finished.id, content)
  const jobs = await waitFor(
    async () => {
      const found = await jobsOf(client, finished.id)
      return found.length === finished.tasks.length && found.every(({ status }) => status === 'succeeded') && found
    },
    { timeoutMs, what: 'the history of the run' },
  )
  const lines = await waitFor(
    async () => {
      const found = await logLinesOf(client, finished.id)
      return found.length > 0 && found
    },
    { timeoutMs, what: 'lines of logs' },
  )
  return { secret, finished, jobs, lines, artifactId, content, asleep: await startAsleep(client, sink) }
}

/** Everything is there as it was, what was under way ends, and the secret can still be read. */
export async function expectKeptData(client: Client, sink: HttpSink, kept: KeptData): Promise<void> {
  expect(await client.run(kept.finished.id)).toEqual(kept.finished)
  expect(await jobsOf(client, kept.finished.id)).toEqual(kept.jobs)
  expect(await logLinesOf(client, kept.finished.id)).toEqual(expect.arrayContaining(kept.lines))
  expect(await contentOf(client, kept.artifactId)).toBe(kept.content)
  const told = () => sink.requests.filter(({ url }) => url === '/told').map(({ headers }) => headers['x-secret'])
  expect(await client.ended(kept.asleep.id, timeoutMs)).toMatchObject({ status: 'succeeded' })
  expect(told(), 'the run that slept').toEqual([kept.secret])
  const fresh = await client.startRun('asleep')
  expect(await client.ended(fresh.id, timeoutMs)).toMatchObject({ status: 'succeeded' })
  expect(told(), 'a run started afterwards').toEqual([kept.secret, kept.secret])
}
