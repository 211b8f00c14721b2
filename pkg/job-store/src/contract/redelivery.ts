import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ContractContext } from '../contract.js'
import type { ArtifactRecord, JobChange, RunChange } from '../domain/changes.js'
import type { ChangeBatch, JobStore } from '../port.js'
import { jobHistory, runHistory } from './histories.js'
import { artifact, epoch } from './samples.js'

type Change = { run: RunChange } | { job: JobChange } | { artifact: ArtifactRecord }

interface TestRun {
  run: RunChange[]
  jobs: JobChange[][]
}

const runs: fc.Arbitrary<TestRun[]> = fc.array(
  fc.record({ run: runHistory, jobs: fc.array(jobHistory, { minLength: 1, maxLength: 3 }) }),
  { minLength: 1, maxLength: 3 },
)

/** Ids that sort alike in every project. */
function idsFor(projectId: string) {
  const at = (n: number) => `${projectId.slice(0, 24)}${n.toString(16).padStart(12, '0')}`
  return { runId: (run: number) => at(run * 16), jobId: (run: number, job: number) => at(run * 16 + job + 1) }
}

function changesOf(all: readonly TestRun[], projectId: string): Change[] {
  const ids = idsFor(projectId)
  return all.flatMap(({ run, jobs }, r) => {
    const place = { projectId, runId: ids.runId(r) }
    const made = { ...artifact(projectId, place.runId, 't'), id: place.runId }
    return [
      ...run.map((change) => ({ run: { ...change, ...place } })),
      ...jobs.flatMap((changes, j) =>
        changes.map((change) => ({ job: { ...placed(change, place), jobId: ids.jobId(r, j) } })),
      ),
      { artifact: made },
    ]
  })
}

function placed(change: JobChange, place: { projectId: string; runId: string }): JobChange {
  return change.kind === 'observed'
    ? { ...change, identity: { ...change.identity, ...place } }
    : { ...change, ...place }
}

const batchOf = (changes: readonly Change[]): ChangeBatch => ({
  runs: changes.flatMap((change) => ('run' in change ? [change.run] : [])),
  jobs: changes.flatMap((change) => ('job' in change ? [change.job] : [])),
  artifacts: changes.flatMap((change) => ('artifact' in change ? [change.artifact] : [])),
})

/** All that can be read of a project, without its ids. */
async function readAll(store: JobStore, projectId: string, all: readonly TestRun[]): Promise<unknown> {
  const ids = idsFor(projectId)
  const query = { projectId, from: new Date(epoch - 10_000), to: new Date(epoch + 60_000), bucketMs: 60_000 }
  const read = {
    jobs: await store.listJobs({ projectId }, { limit: 100 }),
    runs: await store.listRuns({ projectId }, { limit: 100 }),
    each: await Promise.all(all.map((_, r) => store.getRun(projectId, ids.runId(r)))),
    artifacts: await Promise.all(all.map((_, r) => store.listArtifacts(projectId, ids.runId(r), 't'))),
    stats: await store.stats(query),
    taskStats: await store.taskStats(query, 100),
  }
  return JSON.parse(JSON.stringify(read).replaceAll(projectId, 'project').replaceAll(projectId.slice(0, 24), 'id'))
}

export function redeliveryContract({ store, replica }: ContractContext): void {
  it('makes the same documents of events that come twice, shuffled, cut anywhere, from consumers that die', {
    timeout: 120_000,
  }, async () => {
    const seed = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }))
    await fc.assert(
      fc.asyncProperty(runs, seed, async (all, random) => {
        const next = () => random.next().value as number
        const [once, twice] = [randomUUID(), randomUUID()]
        await store().apply(batchOf(changesOf(all, once)))
        const delivered = [...changesOf(all, twice), ...changesOf(all, twice)]
          .map((change) => ({ change, at: next() }))
          .sort((a, b) => a.at - b.at)
          .map(({ change }) => change)
        while (delivered.length > 0) {
          const batch = batchOf(delivered.splice(0, 1 + Math.floor(next() * 20)))
          // One that dies before its position is kept leaves the batch to the next.
          const died = next() < 0.3
          await store().apply(batch)
          if (died) await replica().apply(batch)
        }
        expect(await readAll(replica(), twice, all)).toEqual(await readAll(store(), once, all))
      }),
      { numRuns: 20 },
    )
  })
}
