import { EvaluationDeferred, ExpressionError } from '@millrace/definition'
import { advanceAll, beginAttempt } from '../advance.js'
import { askForChildren } from '../child-run.js'
import { isCompensating } from '../compensation.js'
import { failure } from '../failure.js'
import { taskHasEnded } from '../task-state.js'
import type { Transition } from '../transition.js'
import { resolveKey } from './resolve-limits.js'

/** What a run waits with. */
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
export function begin(transition: Transition): void {
  transition.moveRun('running', { started: true, reason: null })
  const { timeoutMs } = transition.plan
  if (timeoutMs !== undefined) transition.addTimer({ kind: 'run-timeout', taskIndex: null, delayMs: timeoutMs })
  advanceAll(transition, 0)
}

/** Begins the run, or lets it wait where its workflow has a limit. */
export function beginOrWait(transition: Transition): void {
  const terms = admissionTerms(transition)
  if (terms === 'refused') return
  if (terms === null || transition.requestAdmission(terms) === 'admitted') proceed(transition)
  else if (transition.status !== 'queued') transition.moveRun('queued', { reason: null })
}

/** There is room for the run: it begins, or goes on where a retry reopened it. */
export function admitRun(transition: Transition): void {
  if (transition.status !== 'queued') return
  transition.requireExact()
  if (transition.admission !== 'admitted') return
  proceed(transition)
}

function proceed(transition: Transition): void {
  if (transition.started) resume(transition)
  else begin(transition)
}

/** A run that had begun is handed to workers again. */
export function resume(transition: Transition): void {
  transition.moveRun('running', isCompensating(transition) ? {} : { reason: null })
  // What failed while nothing might begin has set one, and begins now.
  transition.suspendRetries()
  askForChildren(transition)
  transition.tasks.forEach((task, index) => {
    if (task.status === 'queued') transition.enterQueue(index)
    else if (task.status === 'delayed') beginOrRetrySoon(transition, index)
    else if (transition.isOpenMap(index)) transition.changeMap(index, { paused: false })
  })
  advanceAll(transition, 0)
}

/** Where its expressions do not fit into this decision, its own timer brings it again. */
function beginOrRetrySoon(transition: Transition, index: number): void {
  try {
    beginAttempt(transition, index, 0)
  } catch (error) {
    if (!(error instanceof EvaluationDeferred)) throw error
    transition.addTimer({ kind: 'retry', taskIndex: index, delayMs: 0 })
  }
}

/** Takes from the workers what they have not leased yet. */
export function holdBack(transition: Transition): void {
  transition.suspendRetries()
  transition.tasks.forEach((task, index) => {
    if (task.status === 'queued') transition.leaveQueue(index)
    else if (transition.isOpenMap(index)) transition.changeMap(index, { paused: true })
  })
}

/** A reopened run has given its place up: it waits for one as it did at first. */
export function waitAgain(transition: Transition): void {
  const terms = admissionTerms(transition)
  if (terms === null || terms === 'refused') return
  transition.requestAdmission(terms)
  holdBack(transition)
}

/** Null where the workflow has no limit. A key that cannot be had fails the run. */
function admissionTerms(transition: Transition): AdmissionTerms | null | 'refused' {
  const { concurrency } = transition.plan
  if (!concurrency) return null
  const { limit, onLimit, key } = concurrency
  const { workflow } = transition.state
  try {
    return { key: key ? `${workflow}/${resolveKey(key, transition.scope(key, null, 0))}` : workflow, limit, onLimit }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    transition.tasks.forEach((task, index) => {
      if (!taskHasEnded(task.status)) transition.moveTask(index, 'skipped')
    })
    const refusal = failure('expression', `the key of the workflow's limit: ${error.message}`, 'expression')
    transition.moveRun('failed', { ended: true, reason: CONCURRENCY, error: refusal })
    return 'refused'
  }
}
