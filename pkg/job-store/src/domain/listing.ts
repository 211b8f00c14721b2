import { elapsed, foldExecutions } from './attempts.js'
import type { JobFacts } from './job-facts.js'
import { foldRun } from './run-document.js'
import type { RunFacts } from './run-facts.js'

/** What lists filter, sort and count by: every store keeps it beside the facts it was made from. */
export interface Listing {
  sequence: number
  /** Null while only a worker has spoken of the job: it is not shown. */
  status: string | null
  workflow: string | null
  createdAt: Date
  queueWaitMs: number | null
  durationMs: number | null
  search: string | null
}

export interface JobListing extends Listing {
  task: string | null
  workerIds: string[]
  retries: number
  errorCode: string | null
  /** `key=value` */
  labels: string[]
}

const unknown = { sequence: 0, status: null, workflow: null, queueWaitMs: null, durationMs: null, search: null }

export function listJob(facts: JobFacts): JobListing {
  const { identity, observations } = facts
  const latest = observations.at(-1)
  const createdAt = new Date(firstHeardAt(facts))
  if (identity === null || latest === undefined)
    return { ...unknown, createdAt, task: null, workerIds: [], retries: 0, errorCode: null, labels: [] }
  const executions = foldExecutions(observations)
  const started = executions.findLast((execution) => execution.startedAt !== null)
  const workers = new Set(executions.map((execution) => execution.workerId ?? '').filter((worker) => worker !== ''))
  return {
    sequence: latest.sequence,
    status: latest.status,
    workflow: identity.workflow,
    createdAt,
    task: identity.task,
    workerIds: [...workers],
    retries: Math.max(0, latest.attempt - 1),
    errorCode: latest.error?.code.slice(0, 200) ?? null,
    labels: Object.entries(facts.labels ?? {}).map(([key, value]) => labelText(key, value)),
    queueWaitMs: elapsed(started?.queuedAt ?? null, started?.startedAt ?? null),
    durationMs: elapsed(started?.startedAt ?? null, started?.finishedAt ?? null),
    search: searchText([identity.workflow, identity.task, identity.uses, latest.error?.code, latest.error?.message]),
  }
}

export const labelText = (key: string, value: string): string => `${key}=${value}`

/** As `foldJob` has it, for a cursor compares the document's time with the listed one; less when no status is known yet. */
function firstHeardAt({ observations, claims, deadLetteredAt }: JobFacts): number {
  if (observations.length > 0) return earliest(observations, Number.MAX_SAFE_INTEGER)
  return earliest(claims, deadLetteredAt ?? Number.MAX_SAFE_INTEGER)
}

function earliest(heard: readonly { at: number }[], bound: number): number {
  return heard.reduce((first, { at }) => Math.min(first, at), bound)
}

export function listRun(facts: RunFacts): Listing {
  const run = foldRun(facts)
  return {
    sequence: run.sequence,
    status: run.status,
    workflow: run.workflow,
    createdAt: new Date(run.createdAt),
    queueWaitMs: run.queueWaitMs,
    durationMs: run.durationMs,
    search: searchText([run.workflow, ...Object.entries(run.labels).map((pair) => pair.join('=')), run.error?.message]),
  }
}

/** A long error must not swell what every list reads: the head of it is what people search for. */
function searchText(parts: (string | undefined)[]): string {
  return parts
    .filter((part) => part !== undefined && part !== '')
    .map((part) => String(part).slice(0, 500))
    .join(' ')
    .toLowerCase()
}
