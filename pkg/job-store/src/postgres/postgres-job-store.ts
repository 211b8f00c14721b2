import { migrate, type Pool, pingPool } from '@millrace/postgres'
import type { ArtifactRecord } from '../domain/changes.js'
import { foldJob, type JobDocument } from '../domain/job-document.js'
import { type JobFacts, jobFactsOf } from '../domain/job-facts.js'
import { labelText } from '../domain/listing.js'
import { foldRun, type RunDocument } from '../domain/run-document.js'
import { type RunFacts, runFactsOf } from '../domain/run-facts.js'
import type { JobStore } from '../port.js'
import { sanitiseText } from '../sanitise.js'
import { addArtifacts, listArtifacts } from './artifacts.js'
import { deleteProject, deleteRuns } from './delete-runs.js'
import { DocumentTable } from './document-table.js'
import { jobKind, runKind } from './documents.js'
import { commonConditions, getFacts, listFacts } from './list-documents.js'
import { appendLogs, countLogs } from './logs.js'
import { readLogs, skipLogs, tailLogs } from './read-logs.js'
import { readStats, readTaskStats } from './stats.js'

export interface PostgresJobStoreOptions {
  pool: Pool
  schema: string
  /**
   * Where documents are written; default `pool`. A pool of connections with `synchronous_commit = off` saves a flush
   * for each batch, and is right only where the events and their offsets are in the same database: the offset is then
   * later in the WAL than the documents, so a crash that loses these delivers their events again. Logs never go there.
   */
  documentPool?: Pool
  /** Documents of jobs and of runs still going that are kept in memory, each. */
  maxHeld?: number
}

const migrations = new URL('../../migrations', import.meta.url)

export function createPostgresJobStore(options: PostgresJobStoreOptions): JobStore {
  const { pool, schema, documentPool = pool, maxHeld = 5_000 } = options
  const jobs = new DocumentTable<JobFacts>(documentPool, jobKind, maxHeld)
  const runs = new DocumentTable<RunFacts>(documentPool, runKind, maxHeld)
  return {
    prepare: () => migrate(pool, { schema, directory: migrations }),
    async apply(batch) {
      await Promise.all([
        jobs.mergeAll(batch.jobs.map(jobFactsOf)),
        runs.mergeAll(batch.runs.map(runFactsOf)),
        addArtifacts(documentPool, batch.artifacts),
      ])
    },
    async getJob(projectId, id) {
      const facts = await getFacts(pool, jobKind, projectId, id)
      return facts === undefined ? undefined : foldJob(facts)
    },
    async listJobs(filter, page) {
      const { statuses, ...others } = filter
      // Failures and labels are both said as their indexes have it.
      const failures = statuses?.every((status) => status === 'failed' || status === 'cancelled') ? statuses : undefined
      const conditions = commonConditions(failures === undefined ? filter : others)
        .add('failure = any(?::text[]) and failure is not null', failures)
        .add('run_id = ?::uuid', filter.runId)
        .add('task = ?', filter.task)
        .add('worker_ids @> array[?]', filter.workerId)
        .add('error_code = ?', filter.errorCode)
      if (filter.labels !== undefined) {
        const labels = Object.entries(filter.labels).map(([key, value]) => sanitiseText(labelText(key, value)))
        conditions.add(`labels @> ?::text[] and labels <> '{}'`, labels)
      }
      const facts = await listFacts(pool, jobKind, conditions, page)
      return facts.map(foldJob).filter((job): job is JobDocument => job !== undefined)
    },
    async getRun(projectId, id): Promise<RunDocument | undefined> {
      const facts = await getFacts(pool, runKind, projectId, id)
      return facts === undefined ? undefined : foldRun(facts)
    },
    async listRuns(filter, page) {
      return (await listFacts(pool, runKind, commonConditions(filter), page)).map(foldRun)
    },
    listArtifacts: (projectId, runId, task): Promise<ArtifactRecord[]> => listArtifacts(pool, projectId, runId, task),
    appendLogs: (lines) => appendLogs(pool, lines),
    readLogs: (scope, page) => readLogs(pool, scope, page),
    tailLogs: (scope, page) => tailLogs(pool, scope, page),
    skipLogs: (scope, skip) => skipLogs(pool, scope, skip),
    countLogs: (projectId, runId, jobId) => countLogs(pool, projectId, runId, jobId),
    stats: (query) => readStats(pool, query),
    taskStats: (query, limit) => readTaskStats(pool, query, limit),
    deleteRuns: (runIds) => deleteRuns(pool, runIds),
    deleteProject: (projectId) => deleteProject(pool, projectId),
    ping: () => pingPool(pool),
    close: async () => {
      await Promise.all([...new Set([pool, documentPool])].map((each) => each.end()))
    },
  }
}
