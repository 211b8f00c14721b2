import type { ArtifactRecord, JobChange, RunChange } from './domain/changes.js'
import type { JobDocument } from './domain/job-document.js'
import type { RunDocument } from './domain/run-document.js'
import type { JobStatus, LogLevel, RunStatus } from './domain/statuses.js'

/** What one batch of events says, of any number of jobs and runs, in any order, any of it perhaps said before. */
export interface ChangeBatch {
  jobs: JobChange[]
  runs: RunChange[]
  artifacts: ArtifactRecord[]
}

/** Newest first, strictly before this place. */
export interface PageBefore {
  createdAt: string
  id: string
}

export interface JobFilter {
  projectId: string
  runId?: string
  workflow?: string
  task?: string
  statuses?: readonly JobStatus[]
  /** Any worker that executed it, not the last one only. */
  workerId?: string
  /** Of the error that it shows. */
  errorCode?: string
  /** Of its run: all of these. */
  labels?: Record<string, string>
  /** Half open, by creation: [from, to). */
  from?: Date
  to?: Date
  /** Part of the workflow's or task's name, the executor or the error, whatever the case. */
  text?: string
}

export interface RunFilter {
  projectId: string
  workflow?: string
  statuses?: readonly RunStatus[]
  from?: Date
  to?: Date
  text?: string
}

export interface PageRequest {
  limit: number
  before?: PageBefore
}

export const NO_LEASE = '00000000-0000-0000-0000-000000000000'

export interface LogLine {
  projectId: string
  runId: string
  jobId: string
  task: string
  attempt: number
  /** `NO_LEASE` where the worker named none. */
  leaseId: string
  /** Counts within the lease. */
  seq: number
  at: Date
  level: LogLevel
  stream: string
  message: string
}

export interface LogScope {
  projectId: string
  runId: string
  /** Only this job's lines. */
  jobId?: string
  attempt?: number
  /** Lines of these levels alone. */
  levels?: readonly LogLevel[]
  /** Only lines numbered above this within their lease. */
  afterSeq?: number
  /** Key of a task; of a map, all its children. */
  task?: string
  /** Half open, by the line's own time: [from, to). */
  from?: Date
  to?: Date
}

/** `position`: where a reader that has this line and all given before it may go on. Opaque, kept by clients. */
export type PlacedLine = LogLine & { position: string }

export interface LogPage {
  lines: PlacedLine[]
  /** Opaque; null = nothing further. */
  next: string | null
}

export interface TailRequest {
  limit: number
  from?: string
  /** A position that a tail gave out: what had arrived by then is read, and the sweep ends there. */
  until?: string
}

/**
 * Lines in the order they arrived. A store whose writers commit out of order may return lines near the end again
 * (`mayRepeat`) rather than ever miss one: a follower drops what it has sent, by (job, attempt, lease, seq).
 */
export interface TailPage {
  lines: (PlacedLine & { mayRepeat: boolean })[]
  /** The position before the first of them. */
  begun: string
  /** Where the same sweep goes on at once; null = the sweep reached the end. */
  next: string | null
  /** Where a later sweep may begin and miss nothing, also after a restart. */
  position: string
}

export interface LogSkip {
  /** So many of the last lines are left to read. */
  keep: number
  from?: string
  /** Skip only what no other line can appear before any more: a follower that goes on from there misses none. */
  settled: boolean
}

export interface Skipped {
  /** Undefined = there is nothing to skip. */
  position: string | undefined
  /** Counted only when a place to begin from was given. */
  count: number
}

export interface LogCounts {
  lines: number
  bytes: number
  byLevel: Record<LogLevel, number>
}

export interface StatsQuery {
  projectId: string
  from: Date
  to: Date
  workflow?: string
  bucketMs: number
}

export interface Percentiles {
  p50: number | null
  p95: number | null
  p99: number | null
}

export interface StatusStats {
  total: number
  counts: Record<string, number>
  durations: Percentiles
  queueWait: Percentiles
}

export interface StatsBucket extends StatusStats {
  from: string
  runs: StatusStats
}

export interface Stats extends StatusStats {
  runs: StatusStats
  /** Oldest first; empty ones left out. */
  buckets: StatsBucket[]
}

export type TaskOrder = 'name' | 'failures'

/** `failures`: those that failed alone, what failed most first. By workflow and task unless told. */
export interface TaskStatsQuery extends Omit<StatsQuery, 'bucketMs'> {
  order?: TaskOrder
}

/** What one task of a workflow did over a time. */
export interface TaskStats {
  workflow: string
  task: string
  total: number
  failures: number
  retries: number
  durations: Percentiles
  queueWait: Percentiles
}

/**
 * Everything is by document: no joins, no transaction over two documents, lists by equality on fields and
 * (createdAt, id), so that a store of JSONB rows and one of Mongo documents answer alike.
 */
export interface JobStore {
  /** Makes what the store needs (tables, indexes). Safe to call by every process at start. */
  prepare(): Promise<void>
  /** Resolves once everything in the batch is stored. Repeating a batch, or part of it, changes nothing. */
  apply(batch: ChangeBatch): Promise<void>
  getJob(projectId: string, id: string): Promise<JobDocument | undefined>
  listJobs(filter: JobFilter, page: PageRequest): Promise<JobDocument[]>
  getRun(projectId: string, id: string): Promise<RunDocument | undefined>
  listRuns(filter: RunFilter, page: PageRequest): Promise<RunDocument[]>
  listArtifacts(projectId: string, runId: string, task: string): Promise<ArtifactRecord[]>
  /** Idempotent by (job, attempt, lease, seq): the first line of a place stays. Resolves once the lines are durable. */
  appendLogs(lines: LogLine[]): Promise<void>
  /** A job's lines by (attempt, at, seq), a run's by (at, arrival). `after` takes any position that was given out. */
  readLogs(scope: LogScope, page: { limit: number; next?: string; after?: string }): Promise<LogPage>
  tailLogs(scope: LogScope, page: TailRequest): Promise<TailPage>
  /** The position, in order of arrival, behind all but the last lines. */
  skipLogs(scope: LogScope, skip: LogSkip): Promise<Skipped>
  countLogs(projectId: string, runId: string, jobId: string): Promise<LogCounts>
  stats(query: StatsQuery): Promise<Stats>
  /** At most `limit` of them. */
  taskStats(query: TaskStatsQuery, limit: number): Promise<TaskStats[]>
  /** Everything about these runs, also of projects that the caller does not name. In slices; may be repeated. */
  deleteRuns(runIds: readonly string[]): Promise<void>
  /** Everything that is known under a project. In slices; may be repeated. */
  deleteProject(projectId: string): Promise<void>
  ping(): Promise<boolean>
  close(): Promise<void>
}
