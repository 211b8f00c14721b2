import { elapsed, foldExecutions } from '../domain/attempts.js'
import { type JobFacts, jobFactsCover, mergeJobFacts } from '../domain/job-facts.js'
import { foldRun } from '../domain/run-document.js'
import { mergeRunFacts, type RunFacts, runFactsCover } from '../domain/run-facts.js'
import { jobHasEnded, runHasEnded } from '../domain/statuses.js'
import type { DocumentKind } from './document-table.js'
import { packJob, unpackJob } from './packed-job.js'

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
  pack: (facts) => facts,
  unpack: (row) => row.facts as RunFacts,
  merge: mergeRunFacts,
  covers: runFactsCover,
  settled: (facts) => runHasEnded(foldRun(facts).status),
}

function jobColumns(facts: JobFacts): Record<string, unknown> {
  const { identity, observations } = facts
  const latest = observations.at(-1)
  const shared = { project_id: facts.projectId, run_id: facts.runId, created_at: iso(firstHeardAt(facts)) }
  if (identity === null || latest === undefined) return { ...shared, sequence: 0, worker_ids: [] }
  const executions = foldExecutions(observations)
  const started = executions.findLast((execution) => execution.startedAt !== null)
  const workers = new Set(executions.map((execution) => execution.workerId ?? '').filter((worker) => worker !== ''))
  return {
    ...shared,
    sequence: latest.sequence,
    status: latest.status,
    workflow: identity.workflow,
    task: identity.task,
    worker_ids: [...workers],
    queue_wait_ms: elapsed(started?.queuedAt ?? null, started?.startedAt ?? null),
    duration_ms: elapsed(started?.startedAt ?? null, started?.finishedAt ?? null),
    search: searchText([identity.workflow, identity.task, identity.uses, latest.error?.code, latest.error?.message]),
  }
}

const iso = (at: number): string => new Date(at).toISOString()

/** As `foldJob` has it, for a cursor compares the document's time with the column; less when no status is known yet. */
function firstHeardAt({ observations, claims, deadLetteredAt }: JobFacts): number {
  if (observations.length > 0) return earliest(observations, Number.MAX_SAFE_INTEGER)
  return earliest(claims, deadLetteredAt ?? Number.MAX_SAFE_INTEGER)
}

function earliest(heard: readonly { at: number }[], bound: number): number {
  return heard.reduce((first, { at }) => Math.min(first, at), bound)
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
    search: searchText([run.workflow, ...Object.entries(run.labels).map((pair) => pair.join('=')), run.error?.message]),
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
