import type { workflow as proto } from '@millrace/contracts'
import { crashPoint } from '@millrace/crash-point'
import { unprocessable } from '@millrace/errors'
import type { CallContext, UnaryHandler } from '@millrace/grpc'
import { validate } from 'uuid'
import type { AppContext } from '../context.js'

const maxDedupeKey = 500

export function createRun(ctx: AppContext): UnaryHandler<proto.CreateRunRequest__Output, proto.CreateRunResponse> {
  return (request, call) => createOne(ctx, request, call)
}

export async function createOne(
  ctx: AppContext,
  request: proto.CreateRunRequest__Output,
  call: CallContext,
): Promise<proto.CreateRunResponse> {
  check(request)
  const { run, existing } = await ctx.runCreator.create({
    projectId: request.projectId,
    workflow: request.workflow,
    version: request.version,
    input: parseInput(request.inputJson),
    priority: request._priority === undefined ? 5 : (request.priority ?? 5),
    labels: request.labels,
    hold: request.hold,
    startAt: startAtOf(request.startAt),
    ...(request.runId === '' ? {} : { id: request.runId }),
    ...(request.parent === null ? {} : { origin: { parent: request.parent } }),
    ...(request.dedupeKey === '' ? {} : { dedupeKey: request.dedupeKey }),
    requestedBy: request.requestedBy === '' ? `service:${call.service ?? 'unknown'}` : request.requestedBy,
    ip: '',
    requestId: '',
  })
  crashPoint('workflow.create-run.created')
  return {
    runId: run.id,
    workflow: run.workflow,
    version: run.version,
    createdAt: run.createdAt.toISOString(),
    existing,
  }
}

function startAtOf(text: string): Date | undefined {
  if (text === '') return undefined
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw unprocessable('invalid_request', 'startAt must be a time.')
  return at
}

const badText = (text: string, maxLength: number): boolean => text.length > maxLength || text.includes('\0')

function check(request: proto.CreateRunRequest__Output): void {
  const priority = request.priority ?? 5
  if (!validate(request.projectId)) throw unprocessable('invalid_request', 'projectId must be an id.')
  if (badText(request.workflow, 63)) throw unprocessable('invalid_request', 'workflow must be a name.')
  if (request.version < 0) throw unprocessable('invalid_request', 'version must not be negative.')
  if (priority < 0 || priority > 9) throw unprocessable('invalid_request', 'priority must be from 0 to 9.')
  if (request.runId !== '' && !validate(request.runId)) throw unprocessable('invalid_request', 'runId must be an id.')
  if (badText(request.dedupeKey, maxDedupeKey)) throw unprocessable('invalid_request', 'dedupeKey is too long.')
  if (badText(request.requestedBy, 500)) throw unprocessable('invalid_request', 'requestedBy is too long.')
}

function parseInput(json: string): unknown {
  if (json === '') return {}
  try {
    return JSON.parse(json)
  } catch {
    throw unprocessable('invalid_request', 'inputJson must be JSON.')
  }
}
