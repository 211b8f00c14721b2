import { randomUUID } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import pg from 'pg'
import { afterEach } from 'vitest'
import { type Client, newUser } from '../support/client.js'
import { commandLine, type Standalone } from '../support/standalone.js'
import { startTarget } from '../support/target.js'
import { keepLogs } from './keep-logs.js'

async function deploy(env: Record<string, string> = {}) {
  const target = await startTarget(env)
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

export type Deployment = Awaited<ReturnType<typeof deploy>>

/** Makes deployments for the tests of a file, one at a time: each is closed after its test, and its logs kept if that failed. */
export function deployments(): (env?: Record<string, string>) => Promise<Deployment> {
  let current: Deployment | undefined
  afterEach(async (context) => {
    if (context.task.result?.state === 'fail') keepLogs(current?.standalone, context.task.name)
    await current?.target.close()
    current = undefined
  }, 60_000)
  return async (env) => {
    current = await deploy(env)
    return current
  }
}

export const rows = <T>(standalone: Standalone, text: string, values: unknown[] = []): Promise<T[]> =>
  rowsAt<T>(standalone.databaseUrl(), text, values)

/** On a connection of its own: the server may have been another one a moment ago. */
export async function rowsAt<T>(url: string, text: string, values: unknown[]): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(text, values)).rows as T[]
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Until it is answered; a batch is one transaction and its key settles with it. */
export async function startMany(client: () => Client, workflow: string, items: object[]): Promise<void> {
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
export const wrongCompletions = `select r.id from scheduler.runs r
  left join events.log l on l.topic = 'workflow.completed' and l.key = r.id::text group by r.id having count(l.*) <> 1`
export const wrongSuccesses = `select t.id from scheduler.tasks t
  left join events.log l on l.topic = 'task.updated' and l.subject = t.id::text and l.data ->> 'status' = 'succeeded'
  where t.status = 'succeeded' group by t.id having count(l.*) <> 1`

export async function allEnded(standalone: Standalone, timeoutMs: number): Promise<void> {
  const open = async () => (await rows<{ n: number }>(standalone, openRuns).catch(() => [{ n: -1 }]))[0]?.n
  await waitFor(async () => (await open()) === 0, { timeoutMs, intervalMs: 500, what: 'every run ended' })
}

/** Processes of this deployment whose command line names the script, the oldest first. */
export const processesOf = (standalone: Standalone, script: string): number[] =>
  standalone
    .processes()
    .filter((pid) => commandLine(String(pid)).includes(script))
    .sort((a, b) => a - b)
