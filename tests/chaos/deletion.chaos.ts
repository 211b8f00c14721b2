import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@millrace/testkit'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, newUser, uniqueName } from '../support/client.js'
import type { RunSummary } from '../support/shapes.js'
import type { Standalone } from '../support/standalone.js'
import { startTarget, type Target, targetIsOwn } from '../support/target.js'
import { filesUnder, fillProject, mentions } from '../support/whole-project.js'

/** A bulk job's claim ends after 30 s, and deletions are published again after half a minute. */
const patience = { timeoutMs: 240_000, intervalMs: 500 }

describe.runIf(targetIsOwn)('killed with -9 in the middle of a deletion', () => {
  let target: Target
  let standalone: Standalone
  let client: Client
  let folder = ''

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-deletion-'))
    target = await startTarget({
      MILLRACE_CRASH_FILE: join(folder, 'order'),
      MILLRACE_CHILD_CRASHES: '1000',
      MILLRACE_RETENTION_INTERVAL: '500ms',
    })
    if (!target.standalone) throw new Error('only a deployment of its own can be killed')
    standalone = target.standalone
    client = (await newUser(target)).client
  })
  afterAll(async () => {
    await target?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  function arm(point: string, hit: number): void {
    writeFileSync(join(folder, 'next'), `${point} ${hit}`)
    renameSync(join(folder, 'next'), join(folder, 'order'))
  }
  const untilFired = (point: string) =>
    waitFor(() => !existsSync(join(folder, 'order')), { ...patience, what: `${point} is reached` })
  /** While a process is down its answers are 502, 503 or none. */
  const patiently = <T>(call: () => Promise<T>) => waitFor(() => call(), patience)

  test.each([
    ['iam.deletion.statement', 5],
    // In what goes first, and in what goes when the scheduler has emptied the project.
    ['workflow.deletion.statement', 3],
    ['workflow.deletion.statement', 17],
    ['scheduler.deletion.cancelled', 1],
    ['metadata.deletion.before', 1],
    ['notification.deletion.statement', 2],
    ['artifact.deletion.rows', 1],
  ] as const)('a project is gone all the same: %s, %d', async (point, hit) => {
    const slug = uniqueName('p')
    const { id } = await patiently(() =>
      client.want<{ id: string }>(201, 'POST', '/api/v1/projects', { body: { slug } }),
    )
    const inside = client.in(slug)
    await fillProject(inside, target.sink.url)
    const open = await inside.runTasks({ wait: { uses: 'approval', with: {} } })
    await inside.runUntil(open.id, 'waits', (run) => run.status === 'running')
    arm(point, hit)
    await client.want(204, 'DELETE', `/api/v1/projects/${slug}`)
    await untilFired(point)
    const pool = new pg.Pool({ connectionString: standalone.databaseUrl(), max: 1 })
    try {
      await waitFor(async () => Object.keys(await mentions(pool, id)).length === 0, patience).catch(() => undefined)
      expect(await mentions(pool, id)).toEqual({})
      expect(filesUnder(join(standalone.dataDir, 'artifacts', 'objects', id))).toEqual([])
    } finally {
      await pool.end()
    }
  })

  async function endedRuns(tasks: object, status: string, count: number) {
    const { name } = await patiently(() => client.createWorkflow({ name: uniqueName('bulk'), tasks }))
    const items = Array.from({ length: count }, () => ({}))
    await client.want(202, 'POST', `/api/v1/workflows/${name}/runs/batch`, { body: { items } })
    const runs = () => client.all<RunSummary>(`/api/v1/runs?workflow=${name}`)
    const allEnded = async () => (await runs()).filter((run) => run.status === status).length === count
    await waitFor(allEnded, { ...patience, what: `${count} runs are ${status}` })
    return { name, runs, allEnded }
  }

  /** The job when it is done, its slice of that number having been cut off. */
  async function bulkCutOff(body: object, slice: number, meanwhile: () => Promise<unknown>): Promise<object> {
    arm('workflow.bulk.acted', slice)
    const { id } = await client.want<{ id: string }>(202, 'POST', '/api/v1/runs/bulk', { body })
    await untilFired('workflow.bulk.acted')
    await meanwhile()
    return waitFor(async () => {
      const seen = await client.get<{ status: string }>(`/api/v1/bulk/${id}`)
      return seen.status === 'done' && seen
    }, patience)
  }

  test('a bulk job goes on after its slice was cut off, and counts each run once', async () => {
    const { name, runs } = await endedRuns({ a: { uses: 'noop' } }, 'succeeded', 45)
    const job = await bulkCutOff({ action: 'delete', filter: { workflow: name } }, 2, async () => undefined)
    // What the slice that was cut off had deleted is no longer there to be deleted.
    expect(job).toMatchObject({ matched: 45, done: 25, skipped: 20, failed: 0 })
    expect(await runs()).toEqual([])
  })

  test('a bulk job that was cut off retries each run once, though it failed again meanwhile', async () => {
    const tasks = { a: { uses: 'fail', retry: { maxAttempts: 1 } } }
    const { name, runs, allEnded } = await endedRuns(tasks, 'failed', 12)
    const attempts = async () => {
      const counts = (await runs()).map(async ({ id }) => (await client.run(id)).tasks[0]?.attempt)
      return new Set(await Promise.all(counts))
    }
    const failedAgain = () =>
      patiently(async () => (await allEnded()) && [...(await attempts())].every((count) => count === 2))
    const job = await bulkCutOff({ action: 'retry', filter: { workflow: name } }, 1, failedAgain)
    expect(job).toMatchObject({ matched: 12, done: 12, skipped: 0, failed: 0 })
    await waitFor(allEnded, patience)
    expect(await attempts()).toEqual(new Set([2]))
  })
})
