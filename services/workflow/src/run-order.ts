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

/** `audited` false: whoever makes many runs at once records that as one audit entry. */
export function planRun(
  order: RunOrder,
  { row }: CachedVersion,
  inputJson: string,
  { audited = true } = {},
): NewRunRequest {
  const { projectId, priority, labels, requestedBy, hold = false, startAt = null } = order
  const { id = v7(), origin = null } = order
  const run: RunRequest = {
    id,
    projectId,
    workflowId: row.workflowId,
    workflow: row.name,
    version: row.version,
    versionId: row.id,
    inputJson,
    priority,
    labels,
    requestedBy,
    hold,
    createdAt: new Date(),
    startAt,
    traceparent: currentTraceparent() ?? null,
    origin,
    waiting: false,
    cancelRequestedAt: null,
    takenAt: null,
  }
  return {
    run,
    pinned: order.version !== 0,
    dedupeKey: order.dedupeKey ?? null,
    startedJson: encodeData('workflow.started', startedOf(run)),
    auditJson: audited ? auditJsonOf(order, id) : null,
  }
}

/** What `workflow.started` says of a run. */
export function startedOf(run: RunRequest): EventInput<'workflow.started'> {
  const { id: runId, projectId, workflowId, workflow, version, versionId, inputJson, priority, labels } = run
  const { requestedBy, hold, createdAt, startAt, origin } = run
  return {
    ...{ runId, projectId, workflowId, workflow, version, versionId, inputJson, priority, labels, requestedBy, hold },
    createdAt: createdAt.toISOString(),
    startAt: startAt?.toISOString() ?? '',
    ...origin,
  }
}

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
