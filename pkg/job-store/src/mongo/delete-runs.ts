import type { Collection, Document, Filter } from 'mongodb'

const SLICE = 1_000
const RUNS = 200

type Stored = Document & { _id: string }

export interface DeletableCollections {
  jobs: Collection<Stored>
  runs: Collection<Stored>
  artifacts: Collection<Stored>
  logs: Collection<Stored>
}

/** By ids that were found first: `deleteMany` knows no limit, and one call must not hold up the writers for long. */
async function deleteSlices(collection: Collection<Stored>, filter: Filter<Stored>): Promise<void> {
  for (let full = true; full; ) {
    const found = await collection.find(filter).project<Stored>({ _id: 1 }).limit(SLICE).toArray()
    if (found.length > 0) await collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } } as Filter<Stored>)
    full = found.length === SLICE
  }
}

export async function deleteRuns(collections: DeletableCollections, runIds: readonly string[]): Promise<void> {
  const ofRuns = { runId: { $in: [...runIds] } } as Filter<Stored>
  await deleteSlices(collections.jobs, ofRuns)
  await deleteSlices(collections.runs, { _id: { $in: [...runIds] } } as Filter<Stored>)
  await deleteSlices(collections.artifacts, ofRuns)
  await deleteSlices(collections.logs, ofRuns)
}

/** By way of its runs: lines have no index of projects, and every line belongs to a run. */
export async function deleteProject(collections: DeletableCollections, projectId: string): Promise<void> {
  const ofProject = { projectId } as Filter<Stored>
  for (;;) {
    const runs = await collections.runs.find(ofProject).project<Stored>({ _id: 1 }).limit(RUNS).toArray()
    const jobs = await collections.jobs
      .find(ofProject)
      .project<Stored & { runId: string }>({ runId: 1 })
      .limit(RUNS)
      .toArray()
    const runIds = [...new Set([...runs.map(({ _id }) => _id), ...jobs.map(({ runId }) => runId)])]
    if (runIds.length === 0) return
    await deleteRuns(collections, runIds)
  }
}
