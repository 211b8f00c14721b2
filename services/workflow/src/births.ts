import { limits } from '@millrace/definition'
import { conflict, unprocessable } from '@millrace/errors'
import { encodeData } from '@millrace/events'
import { createBatcher, ItemFailure, isDataError, type Pool, type Tx, withTransaction } from '@millrace/postgres'
import { currentTraceparent } from '@millrace/telemetry'
import { v7 } from 'uuid'
import { type InsertOutcome, insertRunRequests, type NewRunRequest } from './db/insert-run-requests.js'
import { findByDedupeKey, type RunRequest } from './db/run-requests.js'
import { checkLabels } from './domain/labels.js'
import { birthMetrics } from './telemetry.js'
import type { CachedVersion, VersionCache } from './version-cache.js'

export interface RunOrder {
  projectId: string
  workflow: string
  /** 0 = newest. */
  version: number
  input: unknown
  priority: number
  labels: Record<string, string>
  /** The same key in the same project always answers with the same run. */
  dedupeKey?: string
  requestedBy: string
  ip: string
  requestId: string
  /** Runs in the transaction that makes the run; the run then has a transaction of its own. */
  settle?: (tx: Tx, run: RunRequest) => Promise<void>
}

export interface Birth {
  run: RunRequest
  existing: boolean
}

/** The only birth of a run. */
export interface RunBirths {
  create(order: RunOrder): Promise<Birth>
  close(): Promise<void>
}

interface BirthsOptions {
  pool: Pool
  versions: VersionCache
  onCommitted: () => void
}

const overtakenTries = 5

export function createRunBirths({ pool, versions, onCommitted }: BirthsOptions): RunBirths {
  const batcher = createBatcher<NewRunRequest, InsertOutcome>({
    run: (items) => insertBatch(pool, items, onCommitted),
    maxBatch: 500,
    concurrency: 2,
  })
  return {
    async create(order) {
      const existing = await findExisting(pool, order)
      if (existing !== undefined) return { run: existing, existing: true }
      checkLabels(order.labels)
      const inputJson = serialiseInput(order.input)
      for (let tries = 0; tries < overtakenTries; tries++) {
        const version = await versions.resolve(order.projectId, order.workflow, order.version)
        checkInput(version, order.input)
        const item = toRequest(order, version, inputJson)
        const run = toRun(item, order, version)
        const outcome = order.settle
          ? await insertAlone(pool, item, run, order.settle, onCommitted)
          : await batcher.submit(item)
        if (outcome === 'born') return { run, existing: false }
        if (outcome === 'stale') versions.forget(order.projectId, order.workflow, order.version)
        else {
          const first = await findExisting(pool, order)
          if (first !== undefined) return { run: first, existing: true }
        }
      }
      throw conflict('workflow_changing', 'The workflow is being changed; try again.')
    },
    close: () => batcher.close(),
  }
}

async function findExisting(pool: Pool, { dedupeKey, projectId }: RunOrder): Promise<RunRequest | undefined> {
  return dedupeKey === undefined ? undefined : findByDedupeKey(pool, projectId, dedupeKey)
}

async function insertBatch(
  pool: Pool,
  items: NewRunRequest[],
  onCommitted: () => void,
): Promise<(InsertOutcome | ItemFailure)[]> {
  try {
    const outcomes = await insertRunRequests(pool, items)
    birthMetrics.batchSize.observe(items.length)
    onCommitted()
    return outcomes
  } catch (error) {
    // One request that the database refuses must not fail its neighbours.
    if (items.length === 1 || !isDataError(error)) throw error
    const half = Math.ceil(items.length / 2)
    const parts = await Promise.all(
      [items.slice(0, half), items.slice(half)].map((part) =>
        insertBatch(pool, part, onCommitted).catch((cause: unknown) => part.map(() => new ItemFailure(cause))),
      ),
    )
    return parts.flat()
  }
}

async function insertAlone(
  pool: Pool,
  item: NewRunRequest,
  run: RunRequest,
  settle: NonNullable<RunOrder['settle']>,
  onCommitted: () => void,
): Promise<InsertOutcome> {
  const outcome = await withTransaction(pool, async (tx) => {
    const [made] = await insertRunRequests(tx, [item])
    if (made === 'born') await settle(tx, run)
    return made ?? 'stale'
  })
  if (outcome === 'born') onCommitted()
  return outcome
}

function serialiseInput(input: unknown): string {
  const json = JSON.stringify(input)
  if (Buffer.byteLength(json) > limits.inputBytes) {
    throw unprocessable('input_too_large', `The input is over ${limits.inputBytes} bytes.`, [
      { path: '/input', code: 'too_large', message: `must be at most ${limits.inputBytes} bytes` },
    ])
  }
  return json
}

function checkInput({ plan }: CachedVersion, input: unknown): void {
  const errors = plan.validateInput(input)
  if (errors.length > 0)
    throw unprocessable('invalid_input', 'The input does not fit the schema of the workflow.', errors)
}

function toRequest(order: RunOrder, { row }: CachedVersion, inputJson: string): NewRunRequest {
  const id = v7()
  const createdAt = new Date().toISOString()
  const { projectId, priority, labels, requestedBy } = order
  const shared = { projectId, workflowId: row.workflowId, workflow: row.name, version: row.version, versionId: row.id }
  return {
    ...shared,
    id,
    pinned: order.version !== 0,
    inputJson,
    priority,
    labelsJson: JSON.stringify(labels),
    dedupeKey: order.dedupeKey ?? null,
    requestedBy,
    createdAt,
    traceparent: currentTraceparent() ?? null,
    startedJson: encodeData('workflow.started', {
      ...shared,
      runId: id,
      inputJson,
      priority,
      labels,
      createdAt,
      requestedBy,
    }),
    auditJson: encodeData('audit.recorded', {
      projectId,
      actor: requestedBy,
      action: 'run.started',
      target: `run:${id}`,
      ip: order.ip,
      requestId: order.requestId,
      outcome: 'success',
    }),
  }
}

function toRun(item: NewRunRequest, { input, labels }: RunOrder, { row }: CachedVersion): RunRequest {
  return {
    id: item.id,
    projectId: item.projectId,
    workflow: item.workflow,
    versionId: row.id,
    version: row.version,
    input,
    priority: item.priority,
    labels,
    createdAt: new Date(item.createdAt),
    cancelRequestedAt: null,
    takenAt: null,
  }
}
