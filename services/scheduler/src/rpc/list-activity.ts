import type { scheduler } from '@millrace/contracts'
import { malformed } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { type EndedRun, listActivity as queryActivity } from '../db/list-activity.js'
import { readerProject } from './caller.js'

const MAX_WORKFLOWS = 200
const MAX_RUNS = 100

type Handler = UnaryHandler<scheduler.ListActivityRequest__Output, scheduler.ListActivityResponse>

export function listActivity(ctx: AppContext): Handler {
  return async ({ projectId, workflows, limit }, call) => {
    if (workflows.length > MAX_WORKFLOWS) {
      throw malformed('too_many_workflows', `At most ${MAX_WORKFLOWS} workflows are looked at at once.`)
    }
    const rows = await queryActivity(ctx.pool, {
      projectId: readerProject(call, projectId),
      workflows,
      limit: Math.min(Math.max(limit, 1), MAX_RUNS),
    })
    return {
      items: rows.map(({ workflow, open, next_at, ended }) => ({
        ...{ workflow, open, nextAt: next_at?.toISOString() ?? '' },
        ended: ended.map(toProtoEnded),
      })),
    }
  }
}

/** Times inside JSON are PostgreSQL's text, with an offset and as many digits as there are. */
const time = (text: string | null): string => (text === null ? '' : new Date(text).toISOString())

const toProtoEnded = ({ id, status, created_at, started_at, finished_at }: EndedRun): scheduler.EndedRun => ({
  ...{ id, status, createdAt: time(created_at), startedAt: time(started_at), finishedAt: time(finished_at) },
})
