import type { Failure } from '../domain/changes.js'
import { type JobClaim, type JobFacts, type JobObservation, mergeJobFacts } from '../domain/job-facts.js'
import { listJob } from '../domain/listing.js'
import { toJsonbText } from '../sanitise.js'
import type { Addition, MongoKind, StoredDocument } from './document-collection.js'

/** status, attempt, at, workerId, error. New fields go at the end of a tuple, so that older pieces still read. */
type Seen = [JobObservation['status'], number, number, string | null, Failure | null]
/** leaseId, attempt, at, executionMs, outputBytes, error */
type Claimed = [string, number, number, number, number | null, Failure | null]
/** workflow, version, task, index, uses, queue, maxAttempts */
type Identity = [string, number, string, number | null, string, string, number]

export const mongoJobKind: MongoKind<JobFacts> = {
  merge: mergeJobFacts,
  additionOf,
  unpack,
  list: listJob,
}

function additionOf(facts: JobFacts): Addition {
  const { projectId, runId, identity, trace, deadLetteredAt, labels } = facts
  const pieces: Record<string, string> = {}
  for (const { sequence, status, attempt, at, workerId, error } of facts.observations) {
    pieces[`s${sequence}`] = toJsonbText([status, attempt, at, workerId, error] satisfies Seen)
  }
  for (const { leaseId, attempt, at, executionMs, outputBytes, error } of facts.claims) {
    // A worker's word: it must not be able to name a field.
    const key = Buffer.from(leaseId).toString('base64url')
    pieces[`c${key}`] = toJsonbText([leaseId, attempt, at, executionMs, outputBytes, error] satisfies Claimed)
  }
  if (deadLetteredAt !== null) pieces[`d${deadLetteredAt}`] = ''
  if (labels !== null) pieces.l = toJsonbText(labels)
  return {
    fixed: { projectId, runId },
    pieces,
    ...(identity !== null && { identity: { sequence: identity.sequence, fields: packIdentity(identity) } }),
    ...(trace !== null && { trace }),
  }
}

function packIdentity(it: NonNullable<JobFacts['identity']>): string {
  const fields: Identity = [it.workflow, it.version, it.task, it.index, it.uses, it.queue, it.maxAttempts]
  return toJsonbText(fields)
}

function unpack(document: StoredDocument): JobFacts {
  const place = { projectId: document.projectId, runId: document.runId ?? '' }
  const observations: JobObservation[] = []
  const claims: JobClaim[] = []
  let deadLetteredAt: number | null = null
  let labels: JobFacts['labels'] = null
  for (const [key, text] of Object.entries(document.pieces)) {
    const rest = key.slice(1)
    if (key.startsWith('s')) observations.push(observation(Number(rest), JSON.parse(text) as Seen))
    else if (key.startsWith('c')) claims.push(claim(JSON.parse(text) as Claimed))
    else if (key === 'l') labels = JSON.parse(text) as Record<string, string>
    else deadLetteredAt = Math.min(deadLetteredAt ?? Number.MAX_SAFE_INTEGER, Number(rest))
  }
  return {
    id: document._id,
    ...place,
    identity: identityOf(document, place),
    observations: observations.sort((a, b) => a.sequence - b.sequence),
    claims: claims.sort((a, b) => (a.leaseId < b.leaseId ? -1 : 1)),
    trace: document.trace ?? null,
    deadLetteredAt,
    labels,
  }
}

function observation(sequence: number, [status, attempt, at, workerId, error]: Seen): JobObservation {
  return { sequence, status, attempt, at, workerId, error }
}

function claim([leaseId, attempt, at, executionMs, outputBytes, error]: Claimed): JobClaim {
  return { leaseId, attempt, at, executionMs, outputBytes, error }
}

function identityOf(
  { identity }: StoredDocument,
  place: { projectId: string; runId: string },
): NonNullable<JobFacts['identity']> | null {
  if (identity === undefined) return null
  const [workflow, version, task, index, uses, queue, maxAttempts] = JSON.parse(identity.fields) as Identity
  return { ...place, sequence: identity.sequence, workflow, version, task, index, uses, queue, maxAttempts }
}
