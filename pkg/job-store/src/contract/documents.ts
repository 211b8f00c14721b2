import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { ContractContext } from '../contract.js'
import type { JobChange, RunChange } from '../domain/changes.js'
import { artifact, epoch, failure, jobHistory, observer, runHistory } from './samples.js'

const iso = (offsetMs: number) => new Date(epoch + offsetMs).toISOString()

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a suite is a list of cases.
export function documentContract({ store, replica, projectId }: ContractContext): void {
  const apply = (change: { jobs?: JobChange[]; runs?: RunChange[] }) =>
    store().apply({ jobs: [], runs: [], artifacts: [], ...change })

  it('tells the whole life of a job from its events', async () => {
    const { jobId, changes } = jobHistory({ projectId })
    await apply({ jobs: changes })
    const job = await store().getJob(projectId, jobId)
    expect(job).toMatchObject({
      status: 'succeeded',
      attempt: 2,
      workerId: 'w2',
      sequence: 8,
      createdAt: iso(100),
      startedAt: iso(700),
      finishedAt: iso(800),
      traceId: 'a'.repeat(32),
    })
    expect(job?.attempts).toEqual([
      {
        attempt: 1,
        status: 'failed',
        workerId: 'w1',
        queuedAt: iso(200),
        startedAt: iso(300),
        finishedAt: iso(400),
        queueWaitMs: 100,
        durationMs: 100,
        executionMs: 90,
        error: failure('first'),
      },
      {
        attempt: 2,
        status: 'succeeded',
        workerId: 'w2',
        queuedAt: iso(500),
        startedAt: iso(700),
        finishedAt: iso(800),
        queueWaitMs: 200,
        durationMs: 100,
        executionMs: 95,
        error: null,
      },
    ])
    expect(job?.metrics).toMatchObject({ attempts: 2, retries: 1, queueWaitMs: 300, outputBytes: 12, totalMs: 700 })
  })

  it('never moves a status back, and still learns from what comes late', async () => {
    const { jobId, saw } = observer({ projectId })
    await apply({ jobs: [saw(3, 'succeeded', { workerId: 'w1' })] })
    await apply({ jobs: [saw(2, 'running', { workerId: 'w1' })] })
    await apply({ jobs: [saw(1, 'queued', { attempt: 0 })] })
    const job = await store().getJob(projectId, jobId)
    expect(job).toMatchObject({ status: 'succeeded', sequence: 3, createdAt: iso(100), startedAt: iso(200) })
    expect(job?.attempts).toMatchObject([{ queueWaitMs: 100, durationMs: 100, workerId: 'w1' }])
  })

  it('ends in the same document when events come one by one, reversed, twice, to two replicas', async () => {
    const one = jobHistory({ projectId })
    const other = jobHistory({ projectId })
    await apply({ jobs: one.changes })
    for (const [i, change] of [...other.changes, ...other.changes].reverse().entries()) {
      await (i % 2 === 0 ? store() : replica()).apply({ jobs: [change], runs: [], artifacts: [] })
    }
    const expected = await store().getJob(projectId, one.jobId)
    const actual = await store().getJob(projectId, other.jobId)
    expect(actual).toEqual({ ...expected, id: other.jobId, runId: other.runId })
  })

  it('takes a batch of many documents, twice, to the last of them', { timeout: 60_000 }, async () => {
    const histories = Array.from({ length: 150 }, () => jobHistory({ projectId }))
    for (let round = 0; round < 2; round += 1) await apply({ jobs: histories.flatMap(({ changes }) => changes) })
    const jobs = await Promise.all(histories.map(({ jobId }) => store().getJob(projectId, jobId)))
    expect(jobs.filter((job) => job?.status === 'succeeded')).toHaveLength(histories.length)
  })

  it('loses nothing when two replicas write the same documents at once', async () => {
    const histories = Array.from({ length: 20 }, () => jobHistory({ projectId }))
    const rounds = Array.from({ length: 9 }, (_, i) => histories.map(({ changes }) => changes[i] as JobChange))
    await Promise.all(
      rounds.map((jobs, i) => (i % 2 === 0 ? store() : replica()).apply({ jobs, runs: [], artifacts: [] })),
    )
    for (const { jobId } of histories) {
      const job = await store().getJob(projectId, jobId)
      expect(job).toMatchObject({ status: 'succeeded', sequence: 8, metrics: { outputBytes: 12 } })
      expect(job?.attempts).toMatchObject([{ queueWaitMs: 100 }, { queueWaitMs: 200 }])
    }
  })

  it('shows no job of which only a worker has spoken', async () => {
    const { jobId, changes } = jobHistory({ projectId })
    await apply({ jobs: changes.filter((change) => change.kind === 'claimed') })
    expect(await store().getJob(projectId, jobId)).toBeUndefined()
    await apply({ jobs: changes })
    expect(await store().getJob(projectId, jobId)).toMatchObject({ status: 'succeeded' })
  })

  it('keeps text that the store itself cannot hold, as near as it can', async () => {
    const { jobId, saw } = observer({ projectId })
    const message = 'nul \0, half \ud800, whole \u{1f600}, quote ", literal \\u0000'
    await apply({ jobs: [saw(1, 'failed', { error: failure(message) })] })
    const job = await store().getJob(projectId, jobId)
    expect(job?.error?.message).toMatch(/^nul .{0,9}, half .{0,9}, whole \u{1f600}, quote ", literal \\u0000$/u)
  })

  it("answers nothing for another project's ids", async () => {
    const { jobId, runId, changes } = jobHistory({ projectId })
    await apply({ jobs: changes, runs: runHistory({ projectId, runId }).changes })
    expect(await store().getJob(randomUUID(), jobId)).toBeUndefined()
    expect(await store().getRun(randomUUID(), runId)).toBeUndefined()
    expect(await store().listJobs({ projectId: randomUUID(), runId }, { limit: 10 })).toEqual([])
  })

  it('lists newest first, a page at a time, each job once', async () => {
    const own = randomUUID()
    const runId = randomUUID()
    const seeds = Array.from({ length: 25 }, (_, i) => jobHistory({ projectId: own, runId, startAt: epoch + (i >> 1) }))
    await apply({ jobs: seeds.flatMap(({ changes }) => changes) })
    const seen: { createdAt: string; id: string }[] = []
    for (;;) {
      const before = seen.at(-1)
      const page = await store().listJobs({ projectId: own, runId }, { limit: 10, ...(before && { before }) })
      seen.push(...page.map(({ createdAt, id }) => ({ createdAt, id })))
      if (page.length < 10) break
    }
    expect(new Set(seen.map(({ id }) => id)).size).toBe(25)
    expect(seen).toEqual([...seen].sort((a, b) => (a.createdAt + a.id < b.createdAt + b.id ? 1 : -1)))
  })

  it('filters by every field of the list', async () => {
    const own = randomUUID()
    const good = jobHistory({ projectId: own, identity: { workflow: 'bills', task: 'send' }, startAt: epoch + 60_000 })
    const { jobId: bad, saw } = observer({ projectId: own })
    const labels = { team: 'shop', tier: 'a=b' }
    await apply({ jobs: [...good.changes, saw(2, 'failed', { error: failure('Disk 100% FULL') })] })
    // Said by an earlier event that comes later, and by no other.
    await apply({ jobs: [saw(1, 'queued', { labels })] })
    expect((await store().getJob(own, bad))?.labels).toEqual(labels)
    const ids = async (filter: object) =>
      (await store().listJobs({ projectId: own, ...filter }, { limit: 10 })).map((job) => job.id)
    expect(await ids({})).toEqual([good.jobId, bad])
    expect(await ids({ workflow: 'bills' })).toEqual([good.jobId])
    expect(await ids({ task: 'pay' })).toEqual([bad])
    expect(await ids({ statuses: ['failed'] })).toEqual([bad])
    expect(await ids({ statuses: ['failed', 'cancelled'] })).toEqual([bad])
    expect(await ids({ workerId: 'w1' })).toEqual([good.jobId])
    expect(await ids({ labels: { team: 'shop', tier: 'a=b' } })).toEqual([bad])
    expect(await ids({ labels: { team: 'shop', tier: 'other' } })).toEqual([])
    expect(await ids({ labels: { team: 'sh' } })).toEqual([])
    expect(await ids({ errorCode: 'boom' })).toEqual([bad])
    expect(await ids({ text: '100% full' })).toEqual([bad])
    expect(await ids({ text: 'HTTP' })).toEqual([good.jobId, bad])
    expect(await ids({ text: '\\' })).toEqual([])
    expect(await ids({ text: '1__%' })).toEqual([])
    expect(await ids({ from: new Date(epoch + 60_000) })).toEqual([good.jobId])
    expect(await ids({ to: new Date(epoch + 60_000) })).toEqual([bad])
    expect(await ids({ runId: good.runId, workflow: 'orders' })).toEqual([])
  })

  it('tells a run from its events in any order, also one that was retried', async () => {
    const { runId, changes } = runHistory({ projectId })
    await apply({ runs: changes.slice(0, 5).reverse() })
    expect(await store().getRun(projectId, runId)).toMatchObject({
      status: 'failed',
      generation: 0,
      error: failure('run'),
      durationMs: 400,
    })
    for (const change of changes.toReversed()) await apply({ runs: [change] })
    expect(await store().getRun(projectId, runId)).toMatchObject({
      status: 'succeeded',
      generation: 1,
      error: null,
      createdAt: iso(0),
      startedAt: iso(200),
      finishedAt: iso(900),
      labels: { team: 'shop' },
      requestedBy: 'user:1',
    })
    const listed = await store().listRuns({ projectId, statuses: ['succeeded'], text: 'team=shop' }, { limit: 10 })
    expect(listed.map((run) => run.id)).toContain(runId)
  })

  it('keeps artifacts by run and task, each once', async () => {
    const runId = randomUUID()
    const made = artifact(projectId, runId, 'pay')
    const batch = { jobs: [], runs: [], artifacts: [made, artifact(projectId, runId, 'other')] }
    await store().apply(batch)
    await store().apply(batch)
    expect(await store().listArtifacts(projectId, runId, 'pay')).toEqual([made])
    expect(await store().listArtifacts(randomUUID(), runId, 'pay')).toEqual([])
  })
}
