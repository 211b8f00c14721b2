import { EvaluationDeferred, ExpressionError } from '@millrace/definition'
import { advanceAll, beginAttempt } from '../advance.js'
import { askForChildren } from '../child-run.js'
import type { Draft } from '../draft.js'
import { failure } from '../failure.js'
import { taskHasEnded } from '../task-state.js'
import { resolveKey } from './resolve-limits.js'

/** What a run stands in line with. */
export interface AdmissionTerms {
  readonly key: string
  readonly limit: number
  readonly onLimit: 'queue' | 'cancel-new' | 'cancel-oldest'
}

/** Why a run was cancelled: its workflow's limit had no room for it, or a newer one took its place. */
export const CONCURRENCY = 'concurrency'

/**
 * Nothing of the run goes to a worker: it is paused, or waits for its workflow's limit. Ready tasks stand outside of the
 * queue then.
 */
export const isBlocked = (status: string): boolean => status === 'paused' || status === 'queued'

/** The first tasks become ready; the run's time begins to count. */
export function begin(draft: Draft): void {
  draft.moveRun('running', { started: true, reason: null })
  const { timeoutMs } = draft.plan
  if (timeoutMs !== undefined) draft.addTimer({ kind: 'run-timeout', taskIndex: null, delayMs: timeoutMs })
  advanceAll(draft, 0)
}

/** Begins the run, or lets it stand in line where its workflow has a limit. */
export function beginOrWait(draft: Draft): void {
  const terms = admissionTerms(draft)
  if (terms === 'refused') return
  if (terms === null || draft.requestAdmission(terms) === 'admitted') proceed(draft)
  else if (draft.status !== 'queued') draft.moveRun('queued', { reason: null })
}

/** There is room for the run: it begins, or goes on where a retry reopened it. */
export function admitRun(draft: Draft): void {
  if (draft.status !== 'queued') return
  draft.requireExact()
  if (draft.admission !== 'admitted') return
  proceed(draft)
}

function proceed(draft: Draft): void {
  if (draft.started) resume(draft)
  else begin(draft)
}

/** A run that had begun is handed to workers again. */
export function resume(draft: Draft): void {
  draft.moveRun('running', { reason: null })
  // What failed while nothing might begin has set one, and begins now.
  draft.suspendRetries()
  askForChildren(draft)
  draft.tasks.forEach((task, index) => {
    if (task.status === 'queued') draft.enterQueue(index)
    else if (task.status === 'delayed') beginOrRetrySoon(draft, index)
    else if (draft.isOpenMap(index)) draft.changeMap(index, { paused: false })
  })
  advanceAll(draft, 0)
}

/** Where its expressions do not fit into this decision, its own timer brings it again. */
function beginOrRetrySoon(draft: Draft, index: number): void {
  try {
    beginAttempt(draft, index, 0)
  } catch (error) {
    if (!(error instanceof EvaluationDeferred)) throw error
    draft.addTimer({ kind: 'retry', taskIndex: index, delayMs: 0 })
  }
}

/** Takes from the workers what they have not leased yet. */
export function holdBack(draft: Draft): void {
  draft.suspendRetries()
  draft.tasks.forEach((task, index) => {
    if (task.status === 'queued') draft.leaveQueue(index)
    else if (draft.isOpenMap(index)) draft.changeMap(index, { paused: true })
  })
}

/** A reopened run has given its place up: it waits for one as it did at first. */
export function waitAgain(draft: Draft): void {
  const terms = admissionTerms(draft)
  if (terms === null || terms === 'refused') return
  draft.requestAdmission(terms)
  holdBack(draft)
}

/** Null where the workflow has no limit. A key that cannot be had fails the run. */
function admissionTerms(draft: Draft): AdmissionTerms | null | 'refused' {
  const { concurrency } = draft.plan
  if (!concurrency) return null
  const { limit, onLimit, key } = concurrency
  const { workflow } = draft.state
  try {
    return { key: key ? `${workflow}/${resolveKey(key, draft.scope(key, null, 0))}` : workflow, limit, onLimit }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    draft.tasks.forEach((task, index) => {
      if (!taskHasEnded(task.status)) draft.moveTask(index, 'skipped')
    })
    const refusal = failure('expression', `the key of the workflow's limit: ${error.message}`, 'expression')
    draft.moveRun('failed', { ended: true, reason: CONCURRENCY, error: refusal })
    return 'refused'
  }
}
