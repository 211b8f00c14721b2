import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { waitFor } from '@millrace/testkit'
import pg from 'pg'
import { type Client, newUser } from '../support/client.js'
import type { Standalone } from '../support/standalone.js'
import { startTarget } from '../support/target.js'

/** A deployment of the test's own; closed by whoever asked for it. */
export async function deploy(env: Record<string, string> = {}) {
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

export async function rows<T>(standalone: Standalone, text: string, values: unknown[] = []): Promise<T[]> {
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
export function processesOf(standalone: Standalone, script: string): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      const command = commandLine(pid)
      return command.includes(standalone.dataDir) && command.includes(script)
    })
    .map(Number)
    .sort((a, b) => a - b)
}

export function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
