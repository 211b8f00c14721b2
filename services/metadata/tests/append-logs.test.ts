import { randomUUID } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, ndjson, startHarness, type TestRun, testRun } from './harness.js'

let harness: Harness
/** What the scheduler's stand-in knows: run id to project. */
const scheduled = new Map<string, string>()

beforeAll(async () => {
  harness = await startHarness(
    {},
    {
      scheduler: {
        find: (projectId, id) =>
          Promise.resolve(scheduled.get(id) === projectId ? { id, finishedAt: undefined } : undefined),
        close: () => undefined,
      },
    },
  )
})
afterAll(() => harness.destroy())

function scheduledRun(): TestRun {
  const run = testRun()
  scheduled.set(run.runId, run.projectId)
  return run
}

const read = async (run: TestRun, query = '') =>
  await ndjson(await harness.get(`/api/v1/runs/${run.runId}/logs${query}`, { projectId: run.projectId }))

describe('appending logs', () => {
  it('keeps lines once, however often a worker repeats them, and they outlive the worker and a restart', async () => {
    const run = scheduledRun()
    const lines = [run.line(1, { message: 'first' }), run.line(2, { level: 'error', stream: 'stderr' })]
    const client = harness.logs()
    expect(await client.append({ lines })).toEqual({ accepted: 2 })
    await Promise.all([client.append({ lines }), client.append({ lines: lines.toReversed() })])
    client.close()
    await harness.restart()
    const kept = await read(run)
    expect(kept).toMatchObject([
      {
        seq: 1,
        at: lines[0]?.at,
        level: 'info',
        stream: 'stdout',
        message: 'first',
        task: 'pay',
        attempt: 1,
        jobId: run.jobId,
      },
      {
        seq: 2,
        at: lines[1]?.at,
        level: 'error',
        stream: 'stderr',
        message: 'line 2',
        task: 'pay',
        attempt: 1,
        jobId: run.jobId,
      },
    ])
  })

  it('takes lines from a worker of the project, and from nobody else', async () => {
    const run = scheduledRun()
    harness.tokens.set('own', { projectId: run.projectId, role: 'worker' })
    harness.tokens.set('viewer', { projectId: run.projectId, role: 'viewer' })
    harness.tokens.set('foreign', { projectId: randomUUID(), role: 'worker' })
    expect(await harness.logs('own').append({ lines: [run.line(1)] })).toEqual({ accepted: 1 })
    const refused = (token: string) => expect(harness.logs(token).append({ lines: [run.line(2)] })).rejects
    await refused('viewer').toMatchObject({ code: 'permission_denied', reason: 'role_required' })
    await refused('foreign').toMatchObject({ code: 'permission_denied', reason: 'foreign_run' })
    await refused('unknown').toMatchObject({ code: 'unauthenticated' })
    expect(await read(run)).toHaveLength(1)
  })

  it("refuses a run of another project under one's own project", async () => {
    const theirs = scheduledRun()
    const own = randomUUID()
    harness.tokens.set('intruder', { projectId: own, role: 'worker' })
    const forged = theirs.line(1, { projectId: own })
    await expect(harness.logs('intruder').append({ lines: [forged] })).rejects.toMatchObject({ reason: 'foreign_run' })
    await expect(
      harness.logs('intruder').append({ lines: [{ ...forged, runId: randomUUID() }] }),
    ).rejects.toMatchObject({
      reason: 'foreign_run',
    })
  })

  it('bounds a batch and a line, and refuses what has no place', async () => {
    const run = scheduledRun()
    const client = harness.logs()
    const many = Array.from({ length: 1_001 }, (_, i) => run.line(i + 1))
    await expect(client.append({ lines: many })).rejects.toMatchObject({ reason: 'batch_too_large' })
    const misplaced = [
      { taskId: 'x' },
      { runId: '' },
      { projectId: 'p' },
      { leaseId: 'l' },
      { attempt: 0 },
      { seq: 0 },
      { seq: -1 },
    ]
    for (const fault of misplaced) {
      await expect(client.append({ lines: [run.line(1, fault)] })).rejects.toMatchObject({ reason: 'invalid_log_line' })
    }
    const long = 'é'.repeat(40_000)
    await client.append({
      lines: [run.line(1, { message: long }), run.line(2, { at: 'no time', level: 'loud', message: 'a\0b' })],
    })
    const [cut, odd] = await read(run)
    expect(Buffer.byteLength(String(cut?.message))).toBeLessThanOrEqual(65_536)
    expect(cut?.message).toMatch(/^é+ … \[truncated\]$/)
    expect(odd).toMatchObject({ level: 'info', message: 'a\ufffdb' })
    expect(await client.append({ lines: [] })).toEqual({ accepted: 0 })
  })

  it('forgets a revoked token within five seconds', async () => {
    const run = scheduledRun()
    harness.tokens.set('brief', { projectId: run.projectId, role: 'worker' })
    const client = harness.logs('brief')
    await client.append({ lines: [run.line(1)] })
    harness.tokens.delete('brief')
    const since = Date.now()
    await waitFor(
      () =>
        client.append({ lines: [run.line(2)] }).then(
          () => false,
          () => true,
        ),
      { timeoutMs: 8_000, intervalMs: 200 },
    )
    expect(Date.now() - since).toBeLessThan(6_000)
  })

  it('filters by level, attempt and number, and refuses a cursor it never gave', async () => {
    const run = scheduledRun()
    await harness.publish([run.task(1, 'running')])
    const levels = ['debug', 'info', 'warn', 'error']
    await harness.logs().append({ lines: levels.map((level, i) => run.line(i + 1, { level, message: level })) })
    await harness.logs().append({ lines: [run.line(1, { attempt: 2, message: 'second' })] })
    const messages = async (query: string) => (await read(run, query)).map((line) => line.message)
    expect(await messages('?level=warn')).toEqual(['warn', 'error'])
    expect(await messages('?attempt=2')).toEqual(['second'])
    expect(await messages('?attempt=1&after=3')).toEqual(['error'])
    const job = await harness.get(`/api/v1/jobs/${run.jobId}/logs`, { projectId: run.projectId })
    expect((await ndjson(job)).map((line) => line.message)).toEqual([...levels, 'second'])
    for (const query of ['?after=x', '?after=1.2.3.4', '?level=loud', '?attempt=0', '?follow=true&after=1.x']) {
      const response = await harness.get(`/api/v1/runs/${run.runId}/logs${query}`, { projectId: run.projectId })
      expect([query, response.status]).toEqual([query, 422])
    }
  })
})
