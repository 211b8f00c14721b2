import type { Collection, Filter } from 'mongodb'
import { labelText } from '../domain/listing.js'
import type { JobFilter, PageRequest, RunFilter } from '../port.js'
import { sanitiseText } from '../sanitise.js'
import type { StoredDocument } from './document-collection.js'

type Conditions = Filter<StoredDocument>

/** `null` never equals: a job without a status is not shown. */
export function runConditions(filter: RunFilter): Conditions {
  const { projectId, workflow, statuses, from, to, text } = filter
  return {
    projectId,
    'view.status': statuses === undefined ? { $ne: null } : { $in: [...statuses] },
    ...(workflow !== undefined && { 'view.workflow': sanitiseText(workflow) }),
    ...((from ?? to) !== undefined && { 'view.createdAt': { ...(from && { $gte: from }), ...(to && { $lt: to }) } }),
    ...(text !== undefined && { 'view.search': { $regex: literal(text) } }),
  }
}

export function jobConditions(filter: JobFilter): Conditions {
  const { runId, task, workerId, errorCode, labels, ...common } = filter
  return {
    ...runConditions(common as RunFilter),
    ...(runId !== undefined && { runId }),
    ...(task !== undefined && { 'view.task': sanitiseText(task) }),
    ...(errorCode !== undefined && { 'view.errorCode': sanitiseText(errorCode) }),
    ...(labels !== undefined && { $and: Object.entries(labels).map(([key, value]) => labelled(key, value)) }),
    ...(workerId !== undefined && { 'view.workerIds': sanitiseText(workerId) }),
  }
}

const labelled = (key: string, value: string): Conditions => ({ 'view.labels': sanitiseText(labelText(key, value)) })

const literal = (text: string): string => sanitiseText(text.toLowerCase()).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

export async function listDocuments(
  documents: Collection<StoredDocument>,
  conditions: Conditions,
  page: PageRequest,
): Promise<StoredDocument[]> {
  const filter = page.before === undefined ? conditions : { $and: [conditions, isBefore(page.before)] }
  return await documents.find(filter).sort({ 'view.createdAt': -1, _id: -1 }).limit(Math.trunc(page.limit)).toArray()
}

function isBefore({ createdAt, id }: { createdAt: string; id: string }): Conditions {
  const at = new Date(createdAt)
  return { $or: [{ 'view.createdAt': { $lt: at } }, { 'view.createdAt': at, _id: { $lt: id } }] }
}
