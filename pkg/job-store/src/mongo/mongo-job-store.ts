import { type Collection, type Db, MongoClient, type MongoClientOptions } from 'mongodb'
import { foldJob, type JobDocument } from '../domain/job-document.js'
import { type JobFacts, jobFactsOf } from '../domain/job-facts.js'
import { foldRun } from '../domain/run-document.js'
import { type RunFacts, runFactsOf } from '../domain/run-facts.js'
import type { JobStore } from '../port.js'
import { ArrivalClock } from './arrival-clock.js'
import { addArtifacts, listArtifacts, type StoredArtifact } from './artifacts.js'
import { type DeletableCollections, deleteProject, deleteRuns } from './delete-runs.js'
import { DocumentCollection, type StoredDocument } from './document-collection.js'
import { mongoJobKind } from './job-pieces.js'
import { jobConditions, listDocuments, runConditions } from './list-documents.js'
import { appendLogs, appendTimeouts, countLogs, type StoredLine } from './logs.js'
import { onMongo } from './mongo-error.js'
import { readLogs, skipLogs, tailLogs } from './read-logs.js'
import { mongoRunKind } from './run-pieces.js'
import { readStats, readTaskStats } from './stats.js'
import { Turnstile } from './turnstile.js'

export interface MongoJobStoreOptions {
  /** mongodb://…; the database is its path, else `millrace`. */
  url: string
  /** How long a server that does not answer is waited for, before the caller is told. */
  serverSelectionTimeoutMs?: number
}

export interface MongoJobStore extends JobStore {
  /** What another store has heard. Merges with what is known here, in any order and however often. */
  addFacts(facts: { jobs: JobFacts[]; runs: RunFacts[] }): Promise<void>
}

/**
 * On MongoDB, and on FerretDB 1.24: no TTL or text indexes, no transactions, no pipeline updates; a document is only
 * ever written by its id.
 */
export function createMongoJobStore(options: MongoJobStoreOptions): MongoJobStore {
  const { url } = options
  const serverSelectionTimeoutMS = options.serverSelectionTimeoutMs ?? 3_000
  const client = new MongoClient(url, {
    ...shared,
    serverSelectionTimeoutMS,
    waitQueueTimeoutMS: 10_000,
    // Long enough for the writes that are queued before this one: given up, it would only be queued again.
    socketTimeoutMS: 60_000,
    maxPoolSize: 20,
  })
  // Repeating an append is left to whoever has the lines: the driver's own repetition would outlast the bound.
  const appender = new MongoClient(url, {
    ...shared,
    ...appendTimeouts,
    serverSelectionTimeoutMS: Math.min(serverSelectionTimeoutMS, appendTimeouts.serverSelectionTimeoutMS),
    retryWrites: false,
    maxPoolSize: 4,
  })
  const database = new URL(url).pathname.slice(1) || 'millrace'
  return storeOn(client, client.db(database), appender, appender.db(database))
}

/** More would wait at a slow server until their time is over, and come again: events wait better in their topic. */
const writesAtOnce = 4

const shared: MongoClientOptions = {
  appName: 'millrace-metadata',
  connectTimeoutMS: 3_000,
  writeConcern: { w: 'majority' },
  readPreference: 'primary',
}

function storeOn(client: MongoClient, db: Db, appender: MongoClient, appendDb: Db): MongoJobStore {
  const jobs = db.collection<StoredDocument>('jobs')
  const runs = db.collection<StoredDocument>('runs')
  const artifacts = db.collection<StoredArtifact>('artifacts')
  const logs = db.collection<StoredLine>('logs')
  const appended = appendDb.collection<StoredLine>('logs')
  const turnstile = new Turnstile(writesAtOnce)
  const jobDocuments = new DocumentCollection(jobs, mongoJobKind, turnstile)
  const runDocuments = new DocumentCollection(runs, mongoRunKind, turnstile)
  const clock = new ArrivalClock(db)
  const deletable = { jobs, runs, artifacts, logs } as unknown as DeletableCollections
  const addFacts: MongoJobStore['addFacts'] = async (facts) => {
    await onMongo(Promise.all([jobDocuments.mergeAll(facts.jobs), runDocuments.mergeAll(facts.runs)]))
  }
  return {
    addFacts,
    async prepare() {
      // Said explicitly: a client whose first connection was made on demand, and failed, never tries again.
      await onMongo(Promise.all([client.connect(), appender.connect()]))
      await onMongo(createIndexes({ jobs, runs, artifacts, logs }))
    },
    async apply(batch) {
      const facts = { jobs: batch.jobs.map(jobFactsOf), runs: batch.runs.map(runFactsOf) }
      await Promise.all([addFacts(facts), onMongo(addArtifacts(artifacts, batch.artifacts))])
    },
    ...documentReads(jobs, runs, artifacts),
    appendLogs: (lines) => onMongo(appendLogs(appended, clock, lines)),
    readLogs: (scope, page) => onMongo(readLogs(logs, clock, scope, page)),
    tailLogs: (scope, page) => onMongo(tailLogs(logs, clock, scope, page)),
    skipLogs: (scope, skip) => onMongo(skipLogs(logs, clock, scope, skip)),
    countLogs: (projectId, runId, jobId) => onMongo(countLogs(logs, projectId, runId, jobId)),
    deleteRuns: (runIds) => onMongo(deleteRuns(deletable, runIds)),
    deleteProject: (projectId) => onMongo(deleteProject(deletable, projectId)),
    ping: () =>
      appendDb.command({ ping: 1 }).then(
        () => true,
        () => false,
      ),
    async close() {
      await Promise.all([client.close(), appender.close()])
    },
  }
}

type DocumentReads = Pick<
  JobStore,
  'getJob' | 'listJobs' | 'getRun' | 'listRuns' | 'listArtifacts' | 'stats' | 'taskStats'
>

function documentReads(
  jobs: Collection<StoredDocument>,
  runs: Collection<StoredDocument>,
  artifacts: Collection<StoredArtifact>,
): DocumentReads {
  return {
    async getJob(projectId, id) {
      const found = await onMongo(jobs.findOne({ _id: id }))
      return found === null || found.projectId !== projectId ? undefined : foldJob(mongoJobKind.unpack(found))
    },
    async listJobs(filter, page) {
      const found = await onMongo(listDocuments(jobs, jobConditions(filter), page))
      const folded = found.map((document) => foldJob(mongoJobKind.unpack(document)))
      return folded.filter((job): job is JobDocument => job !== undefined)
    },
    async getRun(projectId, id) {
      const found = await onMongo(runs.findOne({ _id: id }))
      return found === null || found.projectId !== projectId ? undefined : foldRun(mongoRunKind.unpack(found))
    },
    async listRuns(filter, page) {
      const found = await onMongo(listDocuments(runs, runConditions(filter), page))
      return found.map((document) => foldRun(mongoRunKind.unpack(document)))
    },
    listArtifacts: (projectId, runId, task) => onMongo(listArtifacts(artifacts, projectId, runId, task)),
    stats: (query) => onMongo(readStats(jobs, runs, query)),
    taskStats: (query, limit) => onMongo(readTaskStats(jobs, query, limit)),
  }
}

interface Collections {
  jobs: Collection<StoredDocument>
  runs: Collection<StoredDocument>
  artifacts: Collection<StoredArtifact>
  logs: Collection<StoredLine>
}

/** One at a time: FerretDB 1.24 panics on a list of which more than one is there already. */
async function createIndexes({ jobs, runs, artifacts, logs }: Collections): Promise<void> {
  const newest = { 'view.createdAt': -1, _id: -1 } as const
  await jobs.createIndex({ projectId: 1, ...newest }, { name: 'by_time' })
  await jobs.createIndex({ runId: 1, ...newest }, { name: 'by_run' })
  await jobs.createIndex({ projectId: 1, 'view.labels': 1, ...newest }, { name: 'by_label' })
  await jobs.createIndex({ projectId: 1, 'view.errorCode': 1, ...newest }, { name: 'by_error' })
  await jobs.createIndex({ projectId: 1, 'view.workflow': 1, ...newest }, { name: 'by_workflow' })
  await runs.createIndex({ projectId: 1, ...newest }, { name: 'by_time' })
  await artifacts.createIndex({ runId: 1 }, { name: 'by_run' })
  await logs.createIndex({ runId: 1, at: 1, arrival: 1, _id: 1 }, { name: 'by_run' })
  await logs.createIndex({ runId: 1, arrival: 1, _id: 1 }, { name: 'by_arrival' })
  await logs.createIndex({ jobId: 1, attempt: 1, at: 1, seq: 1, _id: 1 }, { name: 'by_job_and_time' })
}
