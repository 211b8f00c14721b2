import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { seekRun } from './find-run.js'
import { runIdOf } from './path-id.js'
import { runSummary, type View } from './views.js'

const empty = { parents: [], children: [], rerunOf: [], reruns: [] }

/** Where a run comes from, nearest first, and what came from it. A run that has not begun has brought forth nothing. */
export function getLineage(ctx: AppContext): RouteHandler {
  return async (req) => {
    const runId = runIdOf(req)
    const { projectId } = req.identity
    const seen = await seekRun(ctx, projectId, runId, () => ctx.scheduler.getLineage(projectId, runId))
    if ('request' in seen) return { status: 200, body: empty }
    await ctx.nameStarters(
      req.identity,
      seen.found.flatMap(({ run }) => run ?? []),
    )
    const of = (relation: string): View[] =>
      seen.found.flatMap(({ run, task, index, ...rest }) =>
        rest.relation !== relation || !run
          ? []
          : [{ ...runSummary(run), ...(task === '' ? {} : { task }), ...(index < 0 ? {} : { index }) }],
      )
    return {
      status: 200,
      body: { parents: of('parent'), children: of('child'), rerunOf: of('rerun_of'), reruns: of('rerun') },
    }
  }
}
