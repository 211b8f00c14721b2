import type { Queryable, Tx } from '@millrace/postgres'
import type { Catchup } from '../domain/schedule.js'

/** Why a tick has no run. */
export interface TickFailure {
  tick: string
  at: string
  code: string
  message: string
}

export interface ScheduleRow {
  id: string
  project_id: string
  name: string
  workflow: string
  cron: string
  timezone: string
  /** As text: what the user gave passes through unread. */
  input: string
  catchup: Catchup
  paused: boolean
  created_by: string
  created_at: Date
  updated_at: Date
  next_at: Date | null
  last_tick_at: Date | null
  last_run_id: string | null
  last_error: TickFailure | null
  pending_ticks: number
}

const columns = `s.id, s.project_id, s.name, s.workflow, s.cron, s.timezone, s.input::text as input, s.catchup, s.paused, s.created_by,
  s.created_at, s.updated_at, s.next_at, s.last_tick_at, s.last_run_id, s.last_error,
  (select count(*)::int from schedule_ticks t where t.schedule_id = s.id) as pending_ticks`

export async function findSchedule(
  client: Queryable,
  id: string,
  projectId: string,
  lock = false,
): Promise<ScheduleRow | undefined> {
  const result = await client.query<ScheduleRow>(
    `select ${columns} from schedules s where s.id = $1 and s.project_id = $2 ${lock ? 'for update' : ''}`,
    [id, projectId],
  )
  return result.rows[0]
}

export interface ScheduleFilter {
  projectId: string
  workflow: string
  before: { createdAt: string; id: string } | null
  limit: number
}

/** Newest first. */
export async function listSchedules(client: Queryable, filter: ScheduleFilter): Promise<ScheduleRow[]> {
  const result = await client.query<ScheduleRow>(
    `select ${columns} from schedules s
     where s.project_id = $1 and ($2 = '' or s.workflow = $2)
       and ($3::timestamptz is null or (s.created_at, s.id) < ($3::timestamptz, $4::uuid))
     order by s.created_at desc, s.id desc limit $5`,
    [filter.projectId, filter.workflow, filter.before?.createdAt ?? null, filter.before?.id ?? null, filter.limit],
  )
  return result.rows
}

/** The lock makes two that are created at once count each other. */
export async function countSchedulesLocked(tx: Tx, projectId: string): Promise<number> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 31))', [`schedules:${projectId}`])
  return countSchedules(tx, projectId)
}

export async function countSchedules(client: Queryable, projectId: string): Promise<number> {
  const result = await client.query<{ count: number }>(
    'select count(*)::int as count from schedules where project_id = $1',
    [projectId],
  )
  return result.rows[0]?.count ?? 0
}

export interface ScheduleSettings {
  name: string
  workflow: string
  cron: string
  timezone: string
  input: string
  catchup: Catchup
  paused: boolean
}

export interface NewSchedule extends ScheduleSettings {
  id: string
  projectId: string
  createdBy: string
  createdAt: Date
  nextAt: Date | null
}

/** False when the id is taken. */
export async function insertSchedule(client: Queryable, schedule: NewSchedule): Promise<boolean> {
  const { id, projectId, workflow, cron, timezone, input, catchup, paused, createdBy, createdAt, nextAt, name } =
    schedule
  const result = await client.query(
    `insert into schedules (id, project_id, workflow, cron, timezone, input, catchup, paused, created_by, created_at, updated_at, next_at, name)
     values ($1, $2, $3, $4, $5, $6::json, $7, $8, $9, $10, $10, $11, $12) on conflict (id) do nothing`,
    [id, projectId, workflow, cron, timezone, input, catchup, paused, createdBy, createdAt, nextAt, name],
  )
  return result.rowCount === 1
}

export async function updateSchedule(
  client: Queryable,
  id: string,
  settings: ScheduleSettings & { nextAt: Date | null; at: Date },
): Promise<void> {
  const { workflow, cron, timezone, input, catchup, paused, nextAt, at, name } = settings
  await client.query(
    `update schedules set workflow = $2, cron = $3, timezone = $4, input = $5::json, catchup = $6, paused = $7, next_at = $8, updated_at = $9, name = $10
     where id = $1`,
    [id, workflow, cron, timezone, input, catchup, paused, nextAt, at, name],
  )
}

/** Its ticks that wait go with it. */
export async function deleteSchedule(client: Queryable, id: string, projectId: string): Promise<boolean> {
  const result = await client.query('delete from schedules where id = $1 and project_id = $2', [id, projectId])
  return result.rowCount === 1
}

/** The one clock that all replicas share. */
export async function databaseTime(client: Queryable): Promise<Date> {
  const result = await client.query<{ now: Date }>(`select date_trunc('milliseconds', clock_timestamp()) as now`)
  return result.rows[0]?.now ?? new Date()
}
