import type { scheduler } from '@millrace/contracts'
import { conflict, notFound, permissionDenied, unprocessable } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { closeLetter, findLetter, type LetterView, listLetters } from '../db/dead-letters.js'
import { findRun } from '../db/queries.js'
import { mayHavePlaces, readInput, replaceInput } from '../domain/task-input.js'
import { readerProject, requireId } from './caller.js'
import { toProtoFailure } from './to-proto.js'

type List = UnaryHandler<scheduler.ListDeadLettersRequest__Output, scheduler.ListDeadLettersResponse>
type Get = UnaryHandler<scheduler.GetDeadLetterRequest__Output, scheduler.GetDeadLetterResponse>
type Retry = UnaryHandler<scheduler.RetryDeadLetterRequest__Output, scheduler.RetryDeadLetterResponse>
type Delete = UnaryHandler<scheduler.DeleteDeadLetterRequest__Output, scheduler.DeleteDeadLetterResponse>

export const listDeadLetters =
  (ctx: AppContext): List =>
  async (request, call) => {
    const letters = await listLetters(ctx.pool, {
      projectId: readerProject(call, request.projectId),
      runId: request.runId === '' ? null : requireId(request.runId, 'run_not_found'),
      workflow: request.workflow,
      class: request.class,
      state: request.state,
      from: request.from || null,
      to: request.to || null,
      before: request.beforeAt === '' ? null : { at: request.beforeAt, id: request.beforeId },
      limit: Math.min(Math.max(request.limit, 1), 201),
    })
    return { letters: await Promise.all(letters.map((letter) => toProtoLetter(ctx, letter))) }
  }

export const getDeadLetter =
  (ctx: AppContext): Get =>
  async (request, call) => {
    const letter = await requireLetter(ctx, request.id, readerProject(call, request.projectId))
    return { letter: await toProtoLetter(ctx, letter) }
  }

export const retryDeadLetter =
  (ctx: AppContext): Retry =>
  async (request, call) => {
    const projectId = readerProject(call, request.projectId)
    const letter = await requireLetter(ctx, request.id, projectId)
    const input = request.inputJson === '' ? await inputOfChild(ctx, letter) : await replacementOf(ctx, letter, request)
    const run = await findRun(ctx.pool, letter.run_id, projectId)
    // Its tasks are being stopped: a retry would have no effect, and use the letter up.
    if (run?.status === 'cancelling')
      throw conflict('run_cancelling', 'the run is being cancelled; retry when it has ended')
    // The letter first: of two retries at once only one goes on. A crash before the next line leaves a letter marked
    // retried whose run is still failed, and the run itself can be retried.
    if (!(await closeLetter(ctx.pool, letter.id, 'retried'))) {
      throw conflict('letter_not_open', `the letter is already ${letter.state}`)
    }
    const command = { kind: 'retry' as const, taskId: letter.task_id, ...(input === undefined ? {} : { input }) }
    await ctx.engine.submit({ runId: letter.run_id, command })
    return { letter: await toProtoLetter(ctx, await requireLetter(ctx, letter.id, projectId)) }
  }

export const deleteDeadLetter =
  (ctx: AppContext): Delete =>
  async (request, call) => {
    const letter = await requireLetter(ctx, request.id, readerProject(call, request.projectId))
    if (letter.state !== 'deleted' && !(await closeLetter(ctx.pool, letter.id, 'deleted'))) {
      throw conflict('letter_not_open', 'the letter has been retried')
    }
    return {}
  }

async function requireLetter(ctx: AppContext, id: string, projectId: string): Promise<LetterView> {
  const letter = await findLetter(ctx.pool, requireId(id, 'letter_not_found'), projectId)
  if (!letter) throw notFound('letter_not_found', 'no such letter')
  return letter
}

function requireJson(text: string): string {
  try {
    JSON.parse(text)
    return text
  } catch {
    throw unprocessable('invalid_input', 'the input is not JSON')
  }
}

/** Who chooses where a secret goes can read it: that takes the right to write definitions. */
async function replacementOf(
  ctx: AppContext,
  letter: LetterView,
  request: Pick<scheduler.RetryDeadLetterRequest__Output, 'inputJson' | 'mayPlaceSecrets'>,
): Promise<string> {
  const text = requireJson(request.inputJson)
  const plan = await ctx.engine.planOf(letter.version_id)
  const { input, placesSecrets } = replaceInput(plan.tasks[letter.ordinal], letter.idx, text)
  if (placesSecrets && !request.mayPlaceSecrets) {
    throw permissionDenied('secrets_need_editor', 'an input that names secrets needs the role editor')
  }
  return input
}

/** A map's child is evaluated before its run is asked; every other task by its run. */
async function inputOfChild(ctx: AppContext, letter: LetterView): Promise<string | undefined> {
  return letter.idx >= 0 && letter.state === 'open' ? ctx.engine.childInput(letter.task_id) : undefined
}

/** An attempt without expressions has no input of its own: the definition's is the same. */
async function inputOf(ctx: AppContext, letter: LetterView): Promise<string> {
  if (letter.input !== null && !mayHavePlaces(letter.input)) return letter.input
  const plan = await ctx.engine.planOf(letter.version_id)
  return readInput(plan.tasks[letter.ordinal], letter.idx, letter.input).input
}

async function toProtoLetter(ctx: AppContext, letter: LetterView): Promise<scheduler.DeadLetter> {
  return {
    id: letter.id,
    runId: letter.run_id,
    projectId: letter.project_id,
    workflow: letter.workflow,
    version: letter.version,
    taskId: letter.task_id,
    taskKey: letter.key,
    ...(letter.idx >= 0 ? { index: letter.idx } : {}),
    error: toProtoFailure(letter.error),
    attempts: letter.attempts.map((attempt) => ({
      attempt: attempt.attempt,
      at: new Date(attempt.at).toISOString(),
      workerId: attempt.worker_id ?? '',
      error: toProtoFailure(attempt.error),
    })),
    inputJson: await inputOf(ctx, letter),
    at: letter.at.toISOString(),
    state: letter.state,
  }
}
