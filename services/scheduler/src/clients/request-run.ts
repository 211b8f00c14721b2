import { AppError, backoffMs, toAppError } from '@millrace/errors'
import { isRefusal, type NewRun } from './workflow-client.js'

/** How long a request is claimed: longer than a call may take, so that two do not make the same one. */
export const REQUEST_CLAIM_MS = 8000
const CALL_TIMEOUT_MS = 5000
const BACKOFF = { firstMs: 250, maxMs: 30_000 }
/** An outage is waited out however long it lasts; a peer that is there and keeps failing on this request is not. */
const MAX_FAULTS = 20

export type CreateRuns = (runs: readonly NewRun[], timeoutMs: number) => Promise<({ runId: string } | AppError)[]>
export type CreateRun = (run: NewRun, timeoutMs: number) => Promise<{ runId: string }>

export type RunAnswer =
  | { readonly kind: 'started'; readonly runId: string }
  /** Asking again would give the same answer. */
  | { readonly kind: 'refused'; readonly error: AppError }
  /** It failed too often. */
  | { readonly kind: 'given-up'; readonly error: AppError }
  | { readonly kind: 'unanswered'; readonly error: unknown; readonly retryAfterMs: number }

/** Asks the workflow service for a run, always under the same dedupe key; `tries` counts this one. */
export async function requestRun(createRun: CreateRun, run: NewRun, tries: number): Promise<RunAnswer> {
  try {
    const { runId } = await createRun(run, CALL_TIMEOUT_MS)
    return { kind: 'started', runId }
  } catch (cause) {
    return answerTo(cause, tries)
  }
}

/** The same for many at once; a call that fails leaves all of them unanswered. */
export async function requestRuns(
  createRuns: CreateRuns,
  requests: readonly { run: NewRun; tries: number }[],
): Promise<RunAnswer[]> {
  try {
    const outcomes = await createRuns(
      requests.map(({ run }) => run),
      CALL_TIMEOUT_MS,
    )
    return requests.map(({ tries }, i) => {
      const outcome = outcomes[i]
      if (outcome === undefined || outcome instanceof AppError) return answerTo(outcome, tries)
      return { kind: 'started', runId: outcome.runId }
    })
  } catch (cause) {
    return requests.map(({ tries }) => answerTo(cause, tries))
  }
}

function answerTo(cause: unknown, tries: number): RunAnswer {
  const error = toAppError(cause)
  if (isRefusal(error)) return { kind: 'refused', error }
  if (error.code === 'internal' && tries >= MAX_FAULTS) return { kind: 'given-up', error }
  return { kind: 'unanswered', error: cause, retryAfterMs: backoffMs(tries, BACKOFF) }
}
