import type { scheduler } from '@millrace/contracts'
import { compensatedKey } from '@millrace/definition'
import { conflict, notFound, permissionDenied, unprocessable } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { countCompensations } from '../db/compensation.js'
import { closeDeadLetter, type DeadLetterView, findDeadLetter, listOpenDeadLetters } from '../db/dead-letters.js'
import { findRun } from '../db/queries.js'
import { mayHavePlaces, readInput, replaceInput } from '../domain/task-input.js'
import { readerProject, requireId } from './caller.js'
import { runCompensated } from './retry-run.js'
import { toProtoFailure } from './to-proto.js'

type List = UnaryHandler<scheduler.ListDeadLettersRequest__Output, scheduler.ListDeadLettersResponse>
type Get = UnaryHandler<scheduler.GetDeadLetterRequest__Output, scheduler.GetDeadLetterResponse>
type Retry = UnaryHandler<scheduler.RetryDeadLetterRequest__Output, scheduler.RetryDeadLetterResponse>
type Delete = UnaryHandler<scheduler.DeleteDeadLetterRequest__Output, scheduler.DeleteDeadLetterResponse>

export const listDeadLetters =
  (ctx: AppContext): List =>
  async (request, call) => {
    const deadLetters = await listOpenDeadLetters(ctx.pool, {
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
    return { deadLetters: await Promise.all(deadLetters.map((deadLetter) => toProtoDeadLetter(ctx, deadLetter))) }
  }

export const getDeadLetter =
  (ctx: AppContext): Get =>
  async (request, call) => {
    const deadLetter = await requireDeadLetter(ctx, request.id, readerProject(call, request.projectId))
    return { deadLetter: await toProtoDeadLetter(ctx, deadLetter) }
  }

export const retryDeadLetter =
  (ctx: AppContext): Retry =>
  async (request, call) => {
    const projectId = readerProject(call, request.projectId)
    const deadLetter = await requireDeadLetter(ctx, request.id, projectId)
    const input =
      request.inputJson === '' ? await inputOfChild(ctx, deadLetter) : await replacementOf(ctx, deadLetter, request)
    const run = await findRun(ctx.pool, deadLetter.run_id, projectId)
    // Its tasks are being stopped: a retry would have no effect, and use the dead letter up.
    if (run?.status === 'cancelling')
      throw conflict('run_cancelling', 'the run is being cancelled; retry when it has ended')
    const isOfTask = compensatedKey(deadLetter.key) === undefined
    if (isOfTask && (await countCompensations(ctx.pool, deadLetter.run_id)).begun > 0) throw runCompensated()
    // The dead letter first: of two retries at once only one goes on. A crash before the next line leaves a dead letter marked
    // retried whose run is still failed, and the run itself can be retried.
    if (!(await closeDeadLetter(ctx.pool, deadLetter.id, 'retried'))) {
      throw conflict('dead_letter_not_open', `the dead letter is already ${deadLetter.state}`)
    }
    const command = { kind: 'retry' as const, taskId: deadLetter.task_id, ...(input === undefined ? {} : { input }) }
    await ctx.engine.submit({ runId: deadLetter.run_id, command })
    return { deadLetter: await toProtoDeadLetter(ctx, await requireDeadLetter(ctx, deadLetter.id, projectId)) }
  }

export const deleteDeadLetter =
  (ctx: AppContext): Delete =>
  async (request, call) => {
    const deadLetter = await requireDeadLetter(ctx, request.id, readerProject(call, request.projectId))
    if (deadLetter.state !== 'deleted' && !(await closeDeadLetter(ctx.pool, deadLetter.id, 'deleted'))) {
      throw conflict('dead_letter_not_open', 'the dead letter has been retried')
    }
    return {}
  }

async function requireDeadLetter(ctx: AppContext, id: string, projectId: string): Promise<DeadLetterView> {
  const deadLetter = await findDeadLetter(ctx.pool, requireId(id, 'dead_letter_not_found'), projectId)
  if (!deadLetter) throw notFound('dead_letter_not_found', 'no such dead letter')
  return deadLetter
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
  deadLetter: DeadLetterView,
  request: Pick<scheduler.RetryDeadLetterRequest__Output, 'inputJson' | 'mayPlaceSecrets'>,
): Promise<string> {
  const text = requireJson(request.inputJson)
  const plan = await ctx.engine.planOf(deadLetter.version_id)
  const { input, placesSecrets } = replaceInput(plan.tasks[deadLetter.ordinal], deadLetter.idx, text)
  if (placesSecrets && !request.mayPlaceSecrets) {
    throw permissionDenied('secrets_need_editor', 'an input that names secrets needs the role editor')
  }
  return input
}

/** A map's child is evaluated before its run is asked; every other task by its run. */
async function inputOfChild(ctx: AppContext, deadLetter: DeadLetterView): Promise<string | undefined> {
  return deadLetter.idx >= 0 && deadLetter.state === 'open' ? ctx.engine.itemInput(deadLetter.task_id) : undefined
}

/** An attempt without expressions has no input of its own: the definition's is the same. */
async function inputOf(ctx: AppContext, deadLetter: DeadLetterView): Promise<string> {
  if (deadLetter.input !== null && !mayHavePlaces(deadLetter.input)) return deadLetter.input
  const plan = await ctx.engine.planOf(deadLetter.version_id)
  return readInput(plan.tasks[deadLetter.ordinal], deadLetter.idx, deadLetter.input).input
}

async function toProtoDeadLetter(ctx: AppContext, deadLetter: DeadLetterView): Promise<scheduler.DeadLetter> {
  return {
    id: deadLetter.id,
    runId: deadLetter.run_id,
    projectId: deadLetter.project_id,
    workflow: deadLetter.workflow,
    version: deadLetter.version,
    taskId: deadLetter.task_id,
    taskKey: deadLetter.key,
    ...(deadLetter.idx >= 0 ? { index: deadLetter.idx } : {}),
    error: toProtoFailure(deadLetter.error),
    attempts: deadLetter.attempts.map((attempt) => ({
      attempt: attempt.attempt,
      at: new Date(attempt.at).toISOString(),
      workerId: attempt.worker_id ?? '',
      error: toProtoFailure(attempt.error),
    })),
    inputJson: await inputOf(ctx, deadLetter),
    at: deadLetter.at.toISOString(),
    state: deadLetter.state,
  }
}
