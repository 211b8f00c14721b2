import type { SecretPlace } from '@millrace/definition'
import type { LeasedRow } from '../db/lease-fragment.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import { idempotencyKey } from '../domain/idempotency-key.js'
import type { RunState } from '../domain/state.js'
import { readInput } from '../domain/task-input.js'

/** A task in a worker's hands, as the worker is told of it. */
export interface Lease {
  readonly taskId: string
  readonly runId: string
  readonly projectId: string
  readonly workflow: string
  readonly key: string
  readonly index: number
  readonly uses: string
  readonly queue: string
  readonly attempt: number
  readonly maxAttempts: number
  readonly token: number
  readonly leaseId: string
  /** The resolved `with` as JSON text; where secrets belong, it names them. */
  readonly input: string
  readonly secrets: readonly SecretPlace[]
  readonly idempotencyKey: string
  readonly timeoutMs: number
  readonly traceparent: string
}

/** A lease that was written together with the decision that made its task ready. */
export function leaseFromDecision(
  state: RunState,
  plan: EnginePlan,
  ordinal: number,
  grant: { leaseId: string; token: number; input: string | undefined },
): Lease {
  const task = state.tasks[ordinal]
  const planned = plan.tasks[ordinal]
  if (!task || !planned) throw new Error(`run ${state.id} has no task ${ordinal}`)
  return {
    taskId: task.id,
    runId: state.id,
    projectId: state.projectId,
    workflow: state.workflow,
    key: planned.key,
    index: -1,
    uses: planned.uses,
    queue: planned.queue,
    attempt: task.attempt,
    maxAttempts: task.maxAttempts,
    token: grant.token,
    leaseId: grant.leaseId,
    ...readInput(planned, -1, grant.input ?? null),
    idempotencyKey: idempotencyKey(state.id, planned.key, -1, state.generation),
    timeoutMs: planned.timeoutMs ?? 0,
    traceparent: state.traceparent ?? '',
  }
}

/** A lease that was picked from the queue. */
export function leaseFromRow(row: LeasedRow, plan: EnginePlan): Lease {
  // What was stored counts also without expressions: a dead letter may have been retried with another input.
  const stored = row.input === null ? null : JSON.stringify(row.input)
  return {
    taskId: row.taskId,
    runId: row.runId,
    projectId: row.projectId,
    workflow: row.workflow,
    key: row.key,
    index: row.idx,
    uses: row.uses,
    queue: row.queue,
    attempt: row.attempt,
    maxAttempts: row.maxAttempts,
    token: row.token,
    leaseId: row.leaseId,
    ...readInput(plan.tasks[row.ordinal], row.idx, stored),
    idempotencyKey: idempotencyKey(row.runId, row.key, row.idx, row.generation),
    timeoutMs: row.timeoutMs ?? 0,
    traceparent: row.traceparent ?? '',
  }
}
