import type { schedules as proto } from '@millrace/contracts'
import { type AppError, notFound, unprocessable } from '@millrace/errors'
import { recordAudit } from '@millrace/events'
import type { CallContext } from '@millrace/grpc'
import type { Queryable } from '@millrace/postgres'
import { validate } from 'uuid'
import { findSchedule, type ScheduleRow } from '../../db/schedules.js'
import { type Catchup, catchups } from '../../domain/schedule.js'
import { readerProject } from '../caller.js'

const absent = (): AppError => notFound('schedule_not_found', 'There is no such schedule.')

interface Named {
  id: string
  projectId: string
}

/** What is no id cannot be found. */
export function scheduleNameOf(request: Named, call: CallContext): Named {
  if (!validate(request.id)) throw absent()
  return { id: request.id.toLowerCase(), projectId: readerProject(call, request.projectId) }
}

export async function requireSchedule(client: Queryable, { id, projectId }: Named, lock = false): Promise<ScheduleRow> {
  const schedule = await findSchedule(client, id, projectId, lock)
  if (!schedule) throw absent()
  return schedule
}

export function requireCatchup(text: string): Catchup {
  const catchup = catchups.find((known) => known === text)
  if (catchup) return catchup
  throw unprocessable('invalid_request', 'catchup must be none, last or all.')
}

export function requireTime(path: string, text: string): Date {
  const time = new Date(text)
  if (!Number.isNaN(time.getTime())) return time
  const message = 'must be a time'
  throw unprocessable('invalid_request', 'The request is not valid.', [{ path, code: 'format', message }])
}

export async function recordChange(
  client: Queryable,
  action: 'created' | 'updated' | 'paused' | 'resumed' | 'deleted' | 'backfilled',
  { id, projectId }: Named,
  requester: proto.Requester__Output | null,
): Promise<void> {
  await recordAudit(client, 'scheduler', {
    projectId,
    actor: requester?.subject || 'service:workflow',
    action: `schedule.${action}`,
    target: `schedule:${id}`,
    ip: requester?.ip ?? '',
    requestId: requester?.requestId ?? '',
  })
}
