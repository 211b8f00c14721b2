import { type JobFacts, jobFactsCover, mergeJobFacts } from '../domain/job-facts.js'
import { type Listing, listJob, listRun } from '../domain/listing.js'
import { foldRun } from '../domain/run-document.js'
import { mergeRunFacts, type RunFacts, runFactsCover } from '../domain/run-facts.js'
import { jobHasEnded, runHasEnded } from '../domain/statuses.js'
import type { DocumentKind } from './document-table.js'
import { packJob, unpackJob } from './packed-job.js'
import { packRun, unpackRun } from './packed-run.js'

export const jobKind: DocumentKind<JobFacts> = {
  table: 'jobs',
  columns: {
    project_id: 'uuid',
    run_id: 'uuid',
    sequence: 'bigint',
    status: 'text',
    workflow: 'text',
    task: 'text',
    worker_ids: 'text[]',
    retries: 'int',
    error_code: 'text',
    labels: 'text[]',
    created_at: 'timestamptz',
    queue_wait_ms: 'bigint',
    duration_ms: 'bigint',
    search: 'text',
  },
  columnsOf: jobColumns,
  pack: packJob,
  unpack: unpackJob,
  merge: mergeJobFacts,
  covers: jobFactsCover,
  settled: (facts) => jobHasEnded(facts.observations.at(-1)?.status ?? null),
}

export const runKind: DocumentKind<RunFacts> = {
  table: 'runs',
  columns: {
    project_id: 'uuid',
    sequence: 'bigint',
    status: 'text',
    workflow: 'text',
    created_at: 'timestamptz',
    queue_wait_ms: 'bigint',
    duration_ms: 'bigint',
    search: 'text',
  },
  columnsOf: runColumns,
  pack: packRun,
  unpack: unpackRun,
  merge: mergeRunFacts,
  covers: runFactsCover,
  settled: (facts) => runHasEnded(foldRun(facts).status),
}

function jobColumns(facts: JobFacts): Record<string, unknown> {
  const { task, workerIds, retries, errorCode, labels, ...listing } = listJob(facts)
  return {
    project_id: facts.projectId,
    run_id: facts.runId,
    task,
    worker_ids: workerIds,
    retries,
    error_code: errorCode,
    labels,
    ...columnsOf(listing),
  }
}

function runColumns(facts: RunFacts): Record<string, unknown> {
  return { project_id: facts.projectId, ...columnsOf(listRun(facts)) }
}

function columnsOf({ sequence, status, workflow, createdAt, queueWaitMs, durationMs, search }: Listing) {
  return {
    sequence,
    status,
    workflow,
    created_at: createdAt.toISOString(),
    queue_wait_ms: queueWaitMs,
    duration_ms: durationMs,
    search,
  }
}
