import { foldJob } from '../domain/job-document.js'
import { type JobFacts, jobFactsCover, mergeJobFacts } from '../domain/job-facts.js'
import { foldRun } from '../domain/run-document.js'
import { mergeRunFacts, type RunFacts, runFactsCover } from '../domain/run-facts.js'
import { jobHasEnded, runHasEnded } from '../domain/statuses.js'
import type { DocumentKind } from './document-table.js'

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
    created_at: 'timestamptz',
    queue_wait_ms: 'bigint',
    duration_ms: 'bigint',
    search: 'text',
  },
  columnsOf: jobColumns,
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
  merge: mergeRunFacts,
  covers: runFactsCover,
  settled: (facts) => runHasEnded(foldRun(facts).status),
}

function jobColumns(facts: JobFacts): Record<string, unknown> {
  const job = foldJob(facts)
  const shared = { project_id: facts.projectId, run_id: facts.runId }
  if (job === undefined) {
    const heard = [
      ...facts.claims.map((claim) => claim.at),
      ...(facts.deadLetteredAt === null ? [] : [facts.deadLetteredAt]),
    ]
    return { ...shared, sequence: 0, worker_ids: [], created_at: new Date(Math.min(...heard)).toISOString() }
  }
  const started = job.attempts.findLast((attempt) => attempt.startedAt !== null)
  const workers = new Set(job.attempts.map((attempt) => attempt.workerId ?? '').filter((worker) => worker !== ''))
  return {
    ...shared,
    sequence: job.sequence,
    status: job.status,
    workflow: job.workflow,
    task: job.task,
    worker_ids: [...workers],
    created_at: job.createdAt,
    queue_wait_ms: started?.queueWaitMs ?? null,
    duration_ms: started?.durationMs ?? null,
    search: searchText([job.id, job.runId, job.workflow, job.task, job.uses, job.error?.code, job.error?.message]),
  }
}

function runColumns(facts: RunFacts): Record<string, unknown> {
  const run = foldRun(facts)
  return {
    project_id: run.projectId,
    sequence: run.sequence,
    status: run.status,
    workflow: run.workflow,
    created_at: run.createdAt,
    queue_wait_ms: run.queueWaitMs,
    duration_ms: run.durationMs,
    search: searchText([
      run.id,
      run.workflow,
      ...Object.entries(run.labels).map((pair) => pair.join('=')),
      run.error?.message,
    ]),
  }
}

/** A long error must not make the row leave its page: the head of it is what people search for. */
function searchText(parts: (string | undefined)[]): string {
  return parts
    .filter((part) => part !== undefined && part !== '')
    .map((part) => String(part).slice(0, 500))
    .join(' ')
    .toLowerCase()
}
