import { limits } from '@millrace/definition'
import { unprocessable } from '@millrace/errors'
import { type EventInput, encodeData } from '@millrace/events'
import type { Tx } from '@millrace/postgres'
import { currentTraceparent } from '@millrace/telemetry'
import { v7 } from 'uuid'
import type { NewRunRequest } from './db/insert-run-requests.js'
import type { RunRequest } from './db/run-requests.js'
import type { RunOrigin } from './domain/run-origin.js'
import type { CachedVersion } from './version-cache.js'

export interface RunOrder {
  projectId: string
  workflow: string
  /** 0 = newest. */
  version: number
  input: unknown
  priority: number
  labels: Record<string, string>
  /** Submitted, not started, until it is resumed. */
  hold?: boolean
  /** Not before then; absent = at once. */
  startAt?: Date | undefined
  /** The id of the new run; absent = any. */
  id?: string
  origin?: RunOrigin
  /** The same key in the same project always answers with the same run. */
  dedupeKey?: string
  requestedBy: string
  ip: string
  requestId: string
  /** Runs in the transaction that makes the run; the run then has a transaction of its own. */
  settle?: (tx: Tx, run: RunRequest) => Promise<void>
}

export function serialiseInput(input: unknown): string {
  const json = JSON.stringify(input)
  if (Buffer.byteLength(json) > limits.inputBytes) {
    throw unprocessable('input_too_large', `The input is over ${limits.inputBytes} bytes.`, [
      { path: '/input', code: 'too_large', message: `must be at most ${limits.inputBytes} bytes` },
    ])
  }
  return json
}

export async function checkInput({ plan }: CachedVersion, input: unknown, projectId: string): Promise<void> {
  const errors = await plan.validateInput(input, projectId)
  if (errors.length > 0)
    throw unprocessable('invalid_input', 'The input does not fit the schema of the workflow.', errors)
}

/** What is written, and what is answered. */
export interface PlannedRun {
  item: NewRunRequest
  run: RunRequest
}

/** `audited` false: whoever makes many runs at once records that as one deed. */
export function planRun(
  order: RunOrder,
  { row }: CachedVersion,
  inputJson: string,
  { audited = true } = {},
): PlannedRun {
  const { projectId, input, priority, labels, requestedBy, hold = false, startAt } = order
  const { id = v7(), origin = null } = order
  const createdAt = new Date()
  const shared = {
    projectId,
    workflowId: row.workflowId,
    workflow: row.name,
    version: row.version,
    versionId: row.id,
    inputJson,
    priority,
    requestedBy,
    hold,
  }
  const at = createdAt.toISOString()
  const start = startAt?.toISOString()
  const started = { ...shared, runId: id, labels, createdAt: at, startAt: start ?? '', ...origin }
  const item = {
    ...shared,
    id,
    createdAt: at,
    startAt: start ?? null,
    pinned: order.version !== 0,
    labelsJson: JSON.stringify(labels),
    dedupeKey: order.dedupeKey ?? null,
    originJson: origin === null ? null : JSON.stringify(origin),
    traceparent: currentTraceparent() ?? null,
    startedJson: encodeStarted(started),
    auditJson: audited ? auditJsonOf(order, id) : null,
  }
  const { inputJson: _, ...facts } = shared
  const run = {
    ...facts,
    id,
    input,
    labels,
    createdAt,
    startAt: startAt ?? null,
    traceparent: item.traceparent,
    origin,
    waiting: false,
    cancelRequestedAt: null,
    takenAt: null,
  }
  return { item, run }
}

export const encodeStarted = (started: EventInput<'workflow.started'>): string =>
  encodeData('workflow.started', started)

const auditJsonOf = ({ projectId, requestedBy, ip, requestId }: RunOrder, runId: string): string =>
  encodeData('audit.recorded', {
    projectId,
    actor: requestedBy,
    action: 'run.started',
    target: `run:${runId}`,
    ip,
    requestId,
    outcome: 'success',
  })
