import { listRun } from '../domain/listing.js'
import {
  mergeRunFacts,
  type RunCompletion,
  type RunFacts,
  type RunObservation,
  type RunRequest,
} from '../domain/run-facts.js'
import { toJsonbText } from '../sanitise.js'
import type { Addition, MongoKind, StoredDocument } from './document-collection.js'

export const mongoRunKind: MongoKind<RunFacts> = {
  merge: mergeRunFacts,
  additionOf,
  unpack,
  list: listRun,
}

function additionOf(facts: RunFacts): Addition {
  const { projectId, workflow, version, request, trace } = facts
  const pieces: Record<string, string> = {}
  if (request !== null) pieces.r = toJsonbText(request)
  for (const seen of facts.observations) pieces[`o${seen.sequence}`] = toJsonbText(seen)
  for (const completion of facts.completions) pieces[`c${completion.generation}`] = toJsonbText(completion)
  return { fixed: { projectId, workflow, version }, pieces, ...(trace !== null && { trace }) }
}

function unpack(document: StoredDocument): RunFacts {
  const observations: RunObservation[] = []
  const completions: RunCompletion[] = []
  let request: RunRequest | null = null
  for (const [key, text] of Object.entries(document.pieces)) {
    if (key === 'r') request = JSON.parse(text) as RunRequest
    else if (key.startsWith('o')) observations.push(JSON.parse(text) as RunObservation)
    else completions.push(JSON.parse(text) as RunCompletion)
  }
  return {
    id: document._id,
    projectId: document.projectId,
    workflow: document.workflow ?? '',
    version: document.version ?? 0,
    request,
    observations: observations.sort((a, b) => a.sequence - b.sequence),
    completions: completions.sort((a, b) => a.generation - b.generation),
    trace: document.trace ?? null,
  }
}
