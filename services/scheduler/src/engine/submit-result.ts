import { isErrorClass } from '@millrace/definition'
import type { Command, FailCommand } from '../domain/commands.js'
import { type Failure, failure } from '../domain/failure.js'
import { itemPlace } from '../domain/item-id.js'
import { isLargeOutput } from '../domain/large-output.js'
import type { Engine } from './engine.js'
import type { Environment } from './environment.js'
import type { ReportFacts, ShardOutcome } from './shard-item.js'

const MAX_OUTPUT_BYTES = 8 * 1024 * 1024
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** What a worker sends may be anything; an id that is none would fail the whole batch. */
export const isId = (text: string): boolean => uuid.test(text)

/** What a worker says it did, by whichever transport it came. */
export interface ReportedResult {
  readonly taskId: string
  readonly runId: string
  readonly token: number
  readonly leaseId: string
  readonly sessionId: string
  readonly succeeded: boolean
  /** Of a failure: 0 or absent where the peer asked for nothing. */
  readonly retryAfterMs?: number
  readonly outputJson: string
  readonly error?:
    | { readonly code: string; readonly message: string; readonly class: string; readonly retryable: boolean }
    | null
    | undefined
}

interface ResultContext {
  readonly engine: Engine
  readonly env: Environment
}

/** The one entry for results of both transports. */
export async function submitResult(
  ctx: ResultContext,
  result: ReportedResult,
  report: ReportFacts,
): Promise<ShardOutcome> {
  const { taskId, runId } = result
  const command = await withArtifact(ctx, commandOf(result, ctx.env))
  const outcome = await ctx.engine.submit({ runId, command, report })
  if (outcome === 'applied' && command.kind === 'succeed' && command.artifact && itemPlace(taskId)) {
    await ctx.engine.outputs?.linkChild(taskId, command.artifact)
  }
  return outcome
}

/** A large output is written before its report is applied, so that whoever is told of it can read it. */
async function withArtifact({ engine }: ResultContext, command: Command): Promise<Command> {
  if (command.kind !== 'succeed' || command.output === null || !isLargeOutput(command.output)) return command
  const artifact = await engine.outputs?.upload(command.taskId, command.lease, command.output)
  return artifact ? { ...command, artifact } : command
}

function commandOf(result: ReportedResult, env: Environment): Command {
  const { taskId, token, leaseId, sessionId } = result
  const lease = { token, leaseId, sessionId }
  const fail = (error: Failure): FailCommand => ({ kind: 'fail', taskId, lease, error, random: env.random() })
  if (!result.succeeded) {
    const { retryAfterMs = 0 } = result
    return { ...fail(failureOf(result.error)), ...(retryAfterMs > 0 ? { retryAfterMs } : {}) }
  }
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

function failureOf(error: ReportedResult['error']): Failure {
  if (!error) return failure('unknown', 'the worker gave no reason', 'unknown', true)
  const errorClass = isErrorClass(error.class) ? error.class : 'unknown'
  return failure(storable(error.code) || 'unknown', storable(error.message.slice(0, 8192)), errorClass, error.retryable)
}

/** The `json` of an error is taken apart by statements, which PostgreSQL refuses for NUL and for half a surrogate pair. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
