import type { schedules as proto } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../../context.js'
import { countSchedules as count } from '../../db/schedules.js'
import { readerProject } from '../caller.js'

type Count = UnaryHandler<proto.CountSchedulesRequest__Output, proto.CountSchedulesResponse>

export const countSchedules =
  (ctx: AppContext): Count =>
  async ({ projectId }, call) => ({ count: await count(ctx.pool, readerProject(call, projectId)) })
