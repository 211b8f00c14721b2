import { randomUUID } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, startHarness, testRun } from './harness.js'

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types reads them.
type Any = any

let harness: Harness
beforeAll(async () => {
  harness = await startHarness({ follow: { arrivalMs: 200 } })
})
afterAll(() => harness.destroy())

const json = async (response: Response) => (await response.json()) as Record<string, Any>

async function settled(projectId: string, jobId: string, status: string) {
  return await waitFor(async () => {
    const response = await harness.get(`/api/v1/jobs/${jobId}`, { projectId, role: 'viewer' })
    const body = await json(response)
    return response.status === 200 && body.status === status ? body : undefined
  })
}

describe('jobs', () => {
  it('tells a job with its attempts, oldest first, from events in whatever order they were written', async () => {
    const run = testRun()
    const error = { code: 'boom', message: 'first', class: 'user', retryable: true }
    await harness.publish([run.started(), run.task(6, 'succeeded', { attempt: 2, workerId: 'w2' })])
    await harness.publish([
      run.task(5, 'running', { attempt: 2, workerId: 'w2' }),
      run.task(2, 'running', { workerId: 'w1' }),
    ])
    await harness.publish([
      run.task(3, 'delayed', { error }),
      run.task(1, 'queued', { attempt: 0 }),
      run.task(4, 'queued'),
    ])
    const job = await waitFor(async () => {
      const found = await settled(run.projectId, run.jobId, 'succeeded')
      return found.attempts.length === 2 && found.attempts[0].error ? found : undefined
    })
    expect(job).toMatchObject({
      id: run.jobId,
      runId: run.runId,
      workflow: 'orders',
      version: 3,
      task: 'pay',
      index: null,
      uses: 'http',
      attempt: 2,
      workerId: 'w2',
      traceId: 'a'.repeat(32),
      metrics: { attempts: 2, retries: 1 },
      artifacts: [],
    })
    expect(job.attempts).toMatchObject([
      { attempt: 1, status: 'failed', workerId: 'w1', error },
      { attempt: 2, status: 'succeeded', workerId: 'w2', error: null },
    ])
    expect(job).not.toHaveProperty('projectId')
  })

  it('shows the artifacts of a task', async () => {
    const run = testRun()
    const artifactId = v7()
    await harness.publish([
      {
        topic: 'artifact.created',
        key: run.runId,
        data: { artifactId, projectId: run.projectId, runId: run.runId, task: 'pay', name: 'receipt.pdf', size: 9 },
      },
      { topic: 'artifact.created', key: v7(), data: { artifactId: v7(), projectId: run.projectId, name: 'of no run' } },
      run.task(1, 'succeeded'),
    ])
    const job = await settled(run.projectId, run.jobId, 'succeeded')
    expect(job.artifacts).toMatchObject([{ id: artifactId, name: 'receipt.pdf', size: 9 }])
  })

  it('answers 404 for what is absent, no id, or of another project', async () => {
    const run = testRun()
    await harness.publish([run.started(), run.task(1, 'queued')])
    await settled(run.projectId, run.jobId, 'queued')
    for (const id of [randomUUID(), v7(), 'x', run.jobId]) {
      for (const path of [`jobs/${id}`, `jobs/${id}/logs`, `jobs/${id}/metrics`]) {
        const response = await harness.get(`/api/v1/${path}`, { projectId: randomUUID() })
        expect([path, response.status]).toEqual([path, 404])
        expect(response.headers.get('content-type')).toContain('application/problem+json')
      }
    }
    expect((await harness.get(`/api/v1/runs/${run.runId}/logs`, { projectId: randomUUID() })).status).toBe(404)
    expect((await harness.get(`/api/v1/jobs/${run.jobId}`, { projectId: run.projectId, role: 'worker' })).status).toBe(
      403,
    )
  })

  it('lists by filters and pages, newest first, of the project alone', async () => {
    const projectId = randomUUID()
    const runs = Array.from({ length: 5 }, (_, i) => testRun(projectId, i === 0 ? 'bills' : 'orders'))
    const foreign = testRun()
    for (const run of [...runs, foreign]) await harness.publish([run.task(1, 'queued')])
    await waitFor(async () => (await json(await harness.get('/api/v1/jobs', { projectId }))).items.length === 5)
    const newestFirst = runs.map((run) => run.jobId).reverse()
    const first = await json(await harness.get('/api/v1/jobs?limit=3', { projectId }))
    const second = await json(await harness.get(`/api/v1/jobs?limit=3&cursor=${first.nextCursor}`, { projectId }))
    expect([...first.items, ...second.items].map((job) => job.id)).toEqual(newestFirst)
    expect(second.nextCursor).toBeNull()
    const ids = async (query: string) =>
      (await json(await harness.get(`/api/v1/jobs?${query}`, { projectId }))).items.map((job: { id: string }) => job.id)
    expect(await ids('workflow=bills')).toEqual([runs[0]?.jobId])
    expect(await ids(`run=${runs[1]?.runId}`)).toEqual([runs[1]?.jobId])
    expect(await ids('run=nonsense')).toEqual([])
    expect(await ids('status=failed')).toEqual([])
    expect(await ids('q=BILL')).toEqual([runs[0]?.jobId])
    expect(await ids(`run=${foreign.runId}`)).toEqual([])
    expect(await ids(`to=${new Date(Date.now() - 3_600_000).toISOString()}`)).toEqual([])
  })

  it('refuses bad questions with 422 and a stable code', async () => {
    const projectId = randomUUID()
    const bad = [
      'jobs?limit=0',
      'jobs?limit=201',
      'jobs?status=odd',
      'jobs?cursor=!',
      'jobs?cursor=e30',
      'jobs?from=yesterday',
    ]
    const badStats = ['stats?bucket=odd', 'stats?bucket=1s', 'stats?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z']
    for (const path of [...bad, ...badStats]) {
      const response = await harness.get(`/api/v1/${path}`, { projectId })
      expect([path, response.status]).toEqual([path, 422])
      expect((await json(response)).code).toMatch(/^[a-z_]+$/)
    }
  })

  it('counts and ranks what happened', async () => {
    const run = testRun()
    await harness.publish([run.started(), run.run(1, 'running'), run.task(1, 'queued'), run.task(2, 'running')])
    await harness.publish([run.task(3, 'succeeded'), run.completed(2, 'succeeded')])
    await settled(run.projectId, run.jobId, 'succeeded')
    const identity = { projectId: run.projectId }
    const stats = await waitFor(async () => {
      const body = await json(await harness.get('/api/v1/stats?bucket=1h&workflow=orders', identity))
      return body.runs.counts.succeeded === 1 ? body : undefined
    })
    expect(stats).toMatchObject({ total: 1, counts: { succeeded: 1, failed: 0 }, bucketMs: 3_600_000 })
    expect(stats.durations).toEqual({ p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) })
    expect(stats.queueWait.p95).toEqual(expect.any(Number))
    expect(stats.buckets).toMatchObject([{ total: 1, runs: { total: 1 } }])
    expect(await json(await harness.get('/api/v1/stats', { projectId: randomUUID() }))).toMatchObject({ total: 0 })
  })

  it('measures a job, its worker and its logs', async () => {
    const run = testRun()
    await harness.publish([
      run.task(1, 'running', { workerId: 'w1' }),
      {
        topic: 'task.completed',
        key: run.runId,
        data: {
          taskId: run.jobId,
          runId: run.runId,
          projectId: run.projectId,
          leaseId: 'l',
          attempt: 1,
          durationMs: 42,
          outputJson: '"é"',
        },
      },
      run.task(2, 'succeeded', { workerId: 'w1' }),
    ])
    await settled(run.projectId, run.jobId, 'succeeded')
    await harness.logs().append({ lines: [run.line(1), run.line(2, { level: 'error' })] })
    const metrics = await json(await harness.get(`/api/v1/jobs/${run.jobId}/metrics`, { projectId: run.projectId }))
    expect(metrics).toMatchObject({
      jobId: run.jobId,
      executionMs: 42,
      outputBytes: 4,
      logs: { lines: 2, byLevel: { info: 1, error: 1 } },
      byAttempt: [{ attempt: 1, executionMs: 42 }],
    })
  })

  it('puts an event it cannot place aside and goes on', async () => {
    const run = testRun()
    await harness.publish([
      run.task(1, 'queued'),
      { ...run.task(2, 'of-a-newer-version') },
      run.task(3, 'running', { taskId: 'no-uuid' }),
      run.task(4, 'succeeded'),
    ])
    await settled(run.projectId, run.jobId, 'succeeded')
  })

  it('reads the same after a restart', async () => {
    const run = testRun()
    await harness.publish([run.task(1, 'queued'), run.task(2, 'running', { workerId: 'w' })])
    const before = await settled(run.projectId, run.jobId, 'running')
    await harness.restart()
    expect(await settled(run.projectId, run.jobId, 'running')).toEqual(before)
    await harness.publish([run.task(3, 'succeeded', { workerId: 'w' })])
    expect((await settled(run.projectId, run.jobId, 'succeeded')).attempts).toHaveLength(1)
  })
})
