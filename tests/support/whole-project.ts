import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { waitFor } from '@millrace/testkit'
import type pg from 'pg'
import { type Client, uniqueName } from './client.js'
import type { RunSummary } from './shapes.js'

export const large = 'z'.repeat(100_000)
const tasks = {
  big: { uses: 'transform', with: { value: '${{ input.text }}' } },
  fails: { needs: ['big'], uses: 'fail', retry: { maxAttempts: 1 }, onFailure: 'continue' },
}
/** With a large output, logs, a failure and a dead letter. */
export async function fullRun(by: Client, definition: object = {}): Promise<RunSummary & { jobId: string }> {
  const { name } = await by.createWorkflow({ name: uniqueName('wf'), tasks, ...definition })
  const { id } = await by.startRun(name, { input: { text: large } })
  const run = await by.ended(id)
  const jobId = (run.tasks[0] as { jobId: string }).jobId
  await waitFor(async () => (await by.call('GET', `/api/v1/jobs/${jobId}`)).status === 200, {
    timeoutMs: 120_000,
    intervalMs: 200,
  })
  return { ...run, jobId }
}

/** Something of every kind. */
export async function fillProject(by: Client, sinkUrl: string): Promise<void> {
  const run = await fullRun(by)
  await by.want(201, 'POST', '/api/v1/artifacts', { body: { name: 'announced.txt', runId: run.id } })
  await by.want(201, 'POST', '/api/v1/schedules', { body: { workflow: run.workflow, cron: '* * * * *' } })
  await by.want(201, 'POST', `/api/v1/workflows/${run.workflow}/hooks`, { body: {} })
  await by.want(201, 'POST', '/api/workflows', { body: { name: uniqueName('draft') } })
  await by.call('PUT', '/api/v1/secrets/token', { body: { value: 'v' } })
  await by.want(200, 'PATCH', '/api/v1/queues/default', { body: { concurrency: 5 } })
  await by.createKey('worker')
  const channel = { type: 'webhook', url: `${sinkUrl}/project` }
  await by.want(201, 'POST', '/api/v1/subscriptions', {
    body: { events: ['workflow.completed'], channel },
    headers: { 'idempotency-key': uniqueName('key') },
  })
  const { name } = await by.createWorkflow({ name: uniqueName('paused'), tasks: { a: { uses: 'noop' } } })
  await by.want(200, 'POST', `/api/v1/workflows/${name}/pause`)
  await by.startRun(name)
}

/**
 * Rows that name the project, by table. The audit log keeps what was done; the event log is trimmed by age; the scheduler
 * remembers the ids of deleted projects while events of theirs may still come.
 */
const excepted = ['iam.audit', 'events.log', 'events.dlq', 'scheduler.deleted_projects']

export async function mentions(pool: pg.Pool, projectId: string): Promise<Record<string, number>> {
  const tables = await pool.query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_schema in ('iam', 'workflow', 'scheduler', 'metadata', 'notification', 'artifact', 'events')
       and table_type = 'BASE TABLE'`,
  )
  const found: Record<string, number> = {}
  for (const { name } of tables.rows) {
    if (excepted.includes(name)) continue
    const { rows } = await pool.query(`select count(*)::int as n from ${name} t where t::text like $1`, [
      `%${projectId}%`,
    ])
    if (rows[0].n > 0) found[name] = rows[0].n
  }
  return found
}

export function filesUnder(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile())
  } catch {
    return []
  }
}
