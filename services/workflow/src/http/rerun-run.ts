import { conflict } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import type { ProtoRun } from '../clients/scheduler.js'
import type { AppContext } from '../context.js'
import { parseRerunFrom, type RerunFrom, unknownChild } from '../domain/rerun-from.js'
import { audit } from './audit.js'
import { seekRun } from './find-run.js'
import { runIdOf } from './path-id.js'
import { acceptedRun } from './start-run.js'

interface RerunBody {
  from?: string
  input?: unknown
  version?: 'pinned' | 'latest' | number
}

const ended: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled'])

/** A new run like an earlier one, from the beginning or from one of its tasks on. */
export function rerunRun(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { projectId, subject } = req.identity
    const runId = runIdOf(req)
    const body = (req.body ?? {}) as RerunBody
    const old = await endedRun(ctx, projectId, runId)
    const version = versionOf(body.version, old)
    const { plan } = await ctx.versions.resolve(projectId, old.workflow, version)
    const rerun = { runId, ...parseRerunFrom(body.from, plan) }
    if (rerun.index >= 0) await requireChild(ctx, projectId, old, rerun)
    const { run } = await ctx.runCreator.create({
      projectId,
      workflow: old.workflow,
      version,
      input: body.input === undefined ? inputOf(old) : body.input,
      priority: old.priority,
      labels: old.labels,
      origin: { rerun },
      requestedBy: subject,
      ip: req.ip,
      requestId: req.requestId,
      async settle(tx, made) {
        await audit(tx, req, 'run.rerun', `run:${runId}`)
        if (req.idempotencyKey !== undefined) await req.settle(tx, acceptedRun(made))
      },
    })
    return acceptedRun(run)
  }
}

async function endedRun(ctx: AppContext, projectId: string, runId: string): Promise<ProtoRun> {
  const seen = await seekRun(ctx, projectId, runId, () => ctx.scheduler.getRunAlone(projectId, runId))
  if ('found' in seen && ended.has(seen.found.status)) return seen.found
  const status = 'found' in seen ? seen.found.status : 'queued'
  throw conflict('run_not_ended', `Only a run that has ended can be run again; this one is ${status}.`)
}

/** One child of a map: the old run must have had it. */
async function requireChild(
  ctx: AppContext,
  projectId: string,
  old: ProtoRun,
  { from, index }: RerunFrom,
): Promise<void> {
  const ordinal = (await ctx.versions.byId(old.versionId))?.plan.byKey.get(from)
  const cursor = `${ordinal ?? 0}.${index - 1}`
  const page = await ctx.scheduler.listTasks({ projectId, runId: old.id, key: from, limit: 1, cursor })
  if (ordinal === undefined || page?.tasks[0]?.index !== index) throw unknownChild()
}

/** 0 = newest. */
function versionOf(asked: RerunBody['version'] = 'pinned', old: ProtoRun): number {
  if (asked === 'latest') return 0
  return asked === 'pinned' ? old.version : asked
}

const inputOf = ({ inputJson }: ProtoRun): unknown => (inputJson === '' ? {} : JSON.parse(inputJson))
