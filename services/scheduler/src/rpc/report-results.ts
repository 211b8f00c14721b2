import type { scheduler } from '@millrace/contracts'
import { crashPoint } from '@millrace/crash-point'
import { isErrorClass } from '@millrace/definition'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import type { HeldTask } from '../db/requeue-tasks.js'
import { childPlace } from '../domain/child-id.js'
import type { Command } from '../domain/commands.js'
import { type Failure, failure } from '../domain/failure.js'
import { isLargeOutput } from '../domain/large-output.js'
import type { Call, SessionFacts } from '../engine/calls.js'
import type { Environment } from '../engine/environment.js'
import type { LaneOutcome } from '../engine/lane-item.js'
import { laneMetrics } from '../engine/metrics.js'
import { toProtoLease } from './to-proto.js'

const MAX_WANT = 500
const MAX_WAIT_MS = 120_000
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function reportResults(
  ctx: AppContext,
): UnaryHandler<scheduler.ReportResultsRequest__Output, scheduler.ReportResultsResponse> {
  return async (request) => {
    crashPoint('scheduler.report.received')
    const session = await ctx.engine.sessions.authenticate(request.session)
    const call = ctx.engine.calls.open(session, Math.min(Math.max(request.want, 0), MAX_WANT))
    try {
      const outcomes = await Promise.all(request.results.map((result) => applyResult(ctx, session, call, result)))
      const stale = outcomes.filter((outcome) => outcome !== 'applied').length
      if (stale > 0) laneMetrics.staleReports.inc(stale)
      const verdicts = outcomes.map((outcome) => (outcome === 'applied' ? 'VERDICT_ACCEPTED' : 'VERDICT_STALE'))
      const { leases } = await ctx.replies.fill(session.id, ctx.engine.dispatcher.answer(call))
      crashPoint('scheduler.report.decided')
      return { verdicts, leases: leases.map(toProtoLease) }
    } finally {
      // After a failure the leases stay in the mailbox, for the worker's next call.
      if (call.open) ctx.engine.calls.abandon(call)
    }
  }
}

async function applyResult(
  ctx: AppContext,
  session: SessionFacts,
  call: Call,
  result: scheduler.TaskResult__Output,
): Promise<LaneOutcome> {
  const { taskId, runId, leaseId, token } = result
  if (![taskId, runId, leaseId].every((id) => uuid.test(id))) return 'stale'
  if (result.outcome === 'OUTCOME_HANDED_BACK') {
    const given = await ctx.engine.handBack([{ taskId, leaseId, token, sessionId: session.id, wait: waitOf(result) }])
    return given > 0 ? 'applied' : 'stale'
  }
  const { id: sessionId, workerId } = session
  const report = { sessionId, workerId, durationMs: result.durationMs, call }
  const command = await withArtifact(ctx, commandOf(result, session.id, ctx.env))
  const outcome = await ctx.engine.submit({ runId, command, report })
  if (outcome === 'applied' && command.kind === 'succeed' && command.artifact && childPlace(taskId)) {
    await ctx.engine.outputs?.linkChild(taskId, command.artifact)
  }
  return outcome
}

/** A large output is written before its report is applied, so that whoever is told of it can read it. */
async function withArtifact(ctx: AppContext, command: Command): Promise<Command> {
  if (command.kind !== 'succeed' || command.output === null || !isLargeOutput(command.output)) return command
  const artifact = await ctx.engine.outputs?.upload(command.taskId, command.lease, command.output)
  return artifact ? { ...command, artifact } : command
}

/** A worker whose circuit to the task's peer is open says when to come back; never so long that a wrong one would hurt. */
function waitOf({ retryAfterMs, handBackReason }: scheduler.TaskResult__Output): HeldTask['wait'] {
  if (!(retryAfterMs > 0)) return undefined
  return { ms: Math.min(retryAfterMs, MAX_WAIT_MS), detail: handBackReason.replaceAll('\0', '').slice(0, 500) }
}

function commandOf(result: scheduler.TaskResult__Output, sessionId: string, env: Environment): Command {
  const { taskId, token, leaseId } = result
  const lease = { token, leaseId, sessionId }
  const fail = (error: Failure): Command => ({ kind: 'fail', taskId, lease, error, random: env.random() })
  if (result.outcome !== 'OUTCOME_SUCCEEDED') return fail(failureOf(result.error))
  if (result.outputJson === '' || result.outputJson === 'null') return { kind: 'succeed', taskId, lease, output: null }
  if (Buffer.byteLength(result.outputJson) > MAX_OUTPUT_BYTES) {
    return fail(failure('output_too_large', 'the output is over 8 MiB', 'validation'))
  }
  if (!isJson(result.outputJson)) return fail(failure('output_not_json', 'the output is not JSON', 'validation'))
  return { kind: 'succeed', taskId, lease, output: result.outputJson }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function failureOf(error: scheduler.TaskResult__Output['error']): Failure {
  if (!error) return failure('unknown', 'the worker gave no reason', 'unknown', true)
  const errorClass = isErrorClass(error.class) ? error.class : 'unknown'
  return failure(error.code || 'unknown', error.message.slice(0, 8192), errorClass, error.retryable)
}
