import type { Queryable } from '@millrace/postgres'
import type { QueueDefaults } from '../domain/queue-defaults.js'
import type { Profile } from '../profiles.js'
import { isCompensation } from './compensation.js'

export interface QueueSettings {
  project_id: string
  name: string
  paused: boolean
  concurrency: number | null
  rate_limit: number | null
  rate_per_ms: number | null
  weight: number | null
  profile: Profile | null
  defaults: QueueDefaults | null
}

/** A session that gets no leases. */
export interface HeldSession {
  id: string
  state: 'paused' | 'draining' | 'ended'
}

/** Longer than a request of a worker may wait, and than a session is remembered: until then replicas hear of its end. */
export const ENDED_SHOWN_S = 60

export interface ControlState {
  version: number
  queues: QueueSettings[]
  sessions: HeldSession[]
}

export const queueColumns = `q.project_id, q.name, q.paused, q.concurrency, q.rate_limit, q.rate_per_ms, q.weight,
  q.profile, q.defaults`

/**
 * What replicas keep in memory, if it changed since `known`. One statement and so one snapshot: what it brings is at
 * least as new as the version it names.
 */
export async function readControl(client: Queryable, known: number): Promise<ControlState | undefined> {
  const result = await client.query<{
    version: number
    queues: QueueSettings[] | null
    sessions: HeldSession[] | null
  }>({
    name: 'read-control',
    text: `
select c.version,
  (select json_agg(row_to_json(x)) from (select ${queueColumns} from queues q) x) as queues,
  (select json_agg(json_build_object('id', s.id, 'state', s.state)) from sessions s
    where s.state in ('paused', 'draining')
      or (s.state = 'ended' and s.ended_at > clock_timestamp() - interval '${ENDED_SHOWN_S} seconds')) as sessions
from engine_control c where c.version <> $1`,
    values: [known],
  })
  const row = result.rows[0]
  return row && { version: row.version, queues: row.queues ?? [], sessions: row.sessions ?? [] }
}

/** In the transaction of the change itself: every replica reads it again. */
export const raiseControl = 'update engine_control set version = version + 1'

export async function bumpControl(client: Queryable): Promise<void> {
  await client.query({ name: 'bump-control', text: raiseControl })
}

export const CONTROL_CHANNEL = 'millrace_scheduler'

/** Serialises with other commits that notify, so only the locked path sends it. */
export async function notifyReplicas(client: Queryable, payload: string): Promise<void> {
  await client.query({ name: 'notify-replicas', text: 'select pg_notify($1, $2)', values: [CONTROL_CHANNEL, payload] })
}

export interface CancelledLease {
  session_id: string
  task_id: string
  lease_id: string
  reason: string | null
}

/** Running tasks of these sessions whose run is being cancelled. Its compensations are not. */
export async function findCancelledLeases(
  client: Queryable,
  sessionIds: readonly string[],
  limit: number,
): Promise<CancelledLease[]> {
  const result = await client.query<CancelledLease>({
    name: 'find-cancelled-leases',
    text: `
select t.session_id, t.id as task_id, t.lease_id, r.reason
from runs r join tasks t on t.run_id = r.id
where r.status = 'cancelling' and t.status = 'running' and not ${isCompensation} and t.session_id = any($1::uuid[])
limit $2`,
    values: [sessionIds, limit],
  })
  return result.rows
}
