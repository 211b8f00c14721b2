import type { AppError } from '@millrace/errors'
import type { Logger } from '@millrace/logger'
import { type CreateRun, REQUEST_CLAIM_MS, requestRun } from '../clients/request-run.js'
import type { NewRun } from '../clients/workflow-client.js'
import type { ChildRunRequest } from '../db/child-run-requests.js'
import { childDedupeKey, childRunId, childTerms } from '../domain/child-run.js'
import type { Command } from '../domain/commands.js'
import { type Failure, failure } from '../domain/failure.js'
import type { Environment } from './environment.js'
import { childMetrics } from './metrics.js'
import type { ShardItem, ShardOutcome } from './shard-item.js'
import type { ChildStore, TimerStore } from './store.js'

export interface ChildRunRequestOptions {
  readonly store: ChildStore & TimerStore
  readonly env: Environment
  readonly logger: Logger
  readonly createRun: CreateRun
  readonly submit: (item: ShardItem) => Promise<ShardOutcome>
}

/**
 * Asks for child runs. The timer exists until the statement that records the answer deletes it; until then the request is
 * repeated, always with the same dedupe key, so that no attempt has two children.
 */
export class ChildRunRequests {
  constructor(private readonly options: ChildRunRequestOptions) {}

  async make(timerId: number): Promise<void> {
    const { store, submit } = this.options
    const request = await store.claimChildRequest(timerId, REQUEST_CLAIM_MS)
    if (!request) return
    const answer = request.task_status === 'waiting' ? await this.answerOf(request, timerId) : null
    if (answer === null) await store.deleteTimer(timerId)
    else if ('retryAfterMs' in answer) await store.postponeChildRequest(timerId, answer.retryAfterMs)
    else await submit({ runId: request.run_id, command: answer })
  }

  private async answerOf(request: ChildRunRequest, timerId: number): Promise<Command | { retryAfterMs: number }> {
    const { task_id: taskId, attempt } = request
    if (request.run_status === 'paused') return { kind: 'child-held', taskId, attempt, timerId }
    const refused = (error: Failure): Command => {
      childMetrics.calls.inc({ outcome: 'refused' })
      return { kind: 'child-refused', taskId, attempt, error, random: this.options.env.random(), timerId }
    }
    const terms = childTerms(request.input ?? 'null')
    if (!('name' in terms)) return refused(terms)
    const answer = await requestRun(this.options.createRun, orderOf(request, terms), request.tries)
    switch (answer.kind) {
      case 'started':
        childMetrics.calls.inc({ outcome: 'started' })
        return { kind: 'child-started', taskId, attempt, childRunId: answer.runId, timerId }
      case 'refused':
        return refused(failure(answer.error.reason, messageOf(terms.name, answer.error), 'validation'))
      case 'given-up':
        return refused(failure('child_not_made', `no run of ${terms.name} could be made`, 'unknown'))
      default:
        childMetrics.calls.inc({ outcome: 'put_off' })
        this.options.logger.warn(
          { err: answer.error, runId: request.run_id, taskId },
          'a child run will be asked for again',
        )
        return answer
    }
  }
}

/** A child has its parent's priority and labels, so that whoever looks for the one finds the other. */
function orderOf(request: ChildRunRequest, terms: { name: string; version: number; inputJson: string }): NewRun {
  const { run_id: runId, task_id: taskId, key, idx: index, attempt } = request
  return {
    projectId: request.project_id,
    workflow: terms.name,
    version: terms.version,
    inputJson: terms.inputJson,
    priority: request.priority,
    labels: request.labels,
    dedupeKey: childDedupeKey(taskId, attempt),
    runId: childRunId(taskId, attempt),
    parent: { runId, taskId, key, index, attempt, depth: (request.origin?.parent?.depth ?? 0) + 1 },
    requestedBy: `run:${runId}`,
  }
}

function messageOf(workflow: string, { message, fieldErrors = [] }: AppError): string {
  const details = fieldErrors.slice(0, 20).map((field) => `${field.path} ${field.message}`)
  return [`no run of the workflow ${workflow}: ${message}`, ...details].join('; ').slice(0, 8192)
}
