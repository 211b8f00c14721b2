import type { logServiceDefinition } from '@millrace/contracts'
import { permissionDenied, tooLarge } from '@millrace/errors'
import type { CallContext, HandlersOf } from '@millrace/grpc'
import { roleAllows } from '@millrace/identity'
import type { LogLine } from '@millrace/job-store'
import type { AppContext } from '../context.js'
import { MAX_LINES, toLogLine } from '../domain/log-line.js'

type Append = HandlersOf<typeof logServiceDefinition>['append']

/** Answers once the lines are durable: a worker may then forget them. */
export function appendLogs(ctx: Pick<AppContext, 'appender' | 'runs'>): Append {
  return async (request, call) => {
    const given = request.lines ?? []
    if (given.length > MAX_LINES) throw tooLarge('batch_too_large', `A batch has at most ${MAX_LINES} lines.`)
    const now = Date.now()
    const lines = given.map((line, i) => toLogLine(line, i, now))
    await authorise(ctx, lines, call)
    if (lines.length > 0) await ctx.appender.submit(lines)
    return { accepted: lines.length }
  }
}

/** The built-in worker writes for all projects; anybody else only for runs of its own. */
async function authorise(ctx: Pick<AppContext, 'runs'>, lines: LogLine[], call: CallContext): Promise<void> {
  if (call.service !== undefined) return
  const { identity } = call
  if (identity === undefined || (identity.role !== 'worker' && !roleAllows(identity.role, 'editor'))) {
    throw permissionDenied('role_required', 'Appending logs takes the role worker or editor.')
  }
  const foreign = lines.some((line) => line.projectId !== identity.projectId)
  const runIds = foreign ? [] : [...new Set(lines.map((line) => line.runId))]
  const owned = await Promise.all(runIds.map((runId) => ctx.runs.isOwnedBy(identity.projectId, runId)))
  if (foreign || owned.includes(false)) {
    throw permissionDenied('foreign_run', 'A line names a run that is not of your project.')
  }
}
