import type { Queryable } from '@millrace/postgres'
import { raiseControl } from './control.js'
import type { OpenCircuit } from './open-circuits.js'

export type WorkerState = 'active' | 'paused' | 'draining' | 'lost'

export interface WorkerView {
  session_id: string
  worker_id: string
  project_id: string | null
  name: string
  state: WorkerState
  queues: string[]
  executors: string[]
  concurrency: number
  running: number
  sdk: string
  version: string
  created_at: Date
  seen_at: Date
  circuits: OpenCircuit[]
}

/** One that said that it leaves is not shown any more; one that fell silent is, for a while. */
const LOST_SHOWN = "interval '1 hour'"

/** Those that were not said anew since they were to be tried are out of date: their worker spoke to another replica since. */
const circuits = `(select coalesce(json_agg(c), '[]') from json_array_elements(s.circuits) c
    where s.state <> 'ended' and (c->>'retryAt')::timestamptz > clock_timestamp() - interval '15 seconds')`

const columns = `s.id as session_id, s.worker_id, s.project_id, s.name,
  case when s.state = 'ended' then 'lost' else s.state end as state, s.queues, s.executors, s.concurrency,
  (select count(*) from tasks t where t.session_id = s.id and t.status = 'running')::int as running,
  s.sdk, s.version, s.created_at, s.seen_at, ${circuits} as circuits`
const shown = `(s.state <> 'ended' or (s.lost and s.ended_at > clock_timestamp() - ${LOST_SHOWN}))`
const visible = (project: string, shared: string) =>
  `(s.project_id = ${project}::uuid or (s.project_id is null and ${shared}::boolean))`

export interface WorkerFilter {
  projectId: string
  withShared: boolean
  state: string
  before: { startedAt: string; sessionId: string } | null
  limit: number
}

/** Newest first. */
export async function listWorkers(client: Queryable, filter: WorkerFilter): Promise<WorkerView[]> {
  const result = await client.query<WorkerView>({
    name: 'list-workers',
    text: `
select * from (select ${columns} from sessions s where ${visible('$1', '$2')} and ${shown}) w
where ($3 = '' or w.state = any(string_to_array($3, ',')))
  and ($4::timestamptz is null or (date_trunc('milliseconds', w.created_at), w.session_id) < ($4::timestamptz, $5::uuid))
order by date_trunc('milliseconds', w.created_at) desc, w.session_id desc limit $6`,
    values: [
      filter.projectId,
      filter.withShared,
      filter.state,
      filter.before?.startedAt ?? null,
      filter.before?.sessionId ?? null,
      filter.limit,
    ],
  })
  return result.rows
}

export interface SharedWorkers {
  alive: number
  slots: number
  used: number
}

/** The platform's own that are given tasks, without a word about which they are. */
export async function countSharedWorkers(client: Queryable): Promise<SharedWorkers> {
  const { rows } = await client.query<SharedWorkers>({
    name: 'count-shared-workers',
    text: `
select count(*)::int as alive, coalesce(sum(concurrency), 0)::int as slots, coalesce(sum(running), 0)::int as used
from (select ${columns} from sessions s where s.project_id is null and s.state = 'active') w`,
  })
  return rows[0] ?? { alive: 0, slots: 0, used: 0 }
}

export interface WorkerTotals {
  active: number
  lost: number
  slots: number
  used: number
}

/** Of all that `listWorkers` would list, page by page. */
export async function totalWorkers(client: Queryable, projectId: string, withShared: boolean): Promise<WorkerTotals> {
  const { rows } = await client.query<WorkerTotals>({
    name: 'total-workers',
    text: `
select count(*) filter (where state = 'active')::int as active, count(*) filter (where state = 'lost')::int as lost,
  coalesce(sum(concurrency) filter (where state = 'active'), 0)::int as slots,
  coalesce(sum(running) filter (where state = 'active'), 0)::int as used
from (select ${columns} from sessions s where ${visible('$1', '$2')} and ${shown}) w`,
    values: [projectId, withShared],
  })
  return rows[0] ?? { active: 0, lost: 0, slots: 0, used: 0 }
}

export async function findWorker(
  client: Queryable,
  workerId: string,
  projectId: string,
  withShared: boolean,
): Promise<WorkerView | undefined> {
  const result = await client.query<WorkerView>({
    name: 'find-worker',
    text: `select ${columns} from sessions s where s.worker_id = $1 and ${visible('$2', '$3')} and ${shown}
      order by s.created_at desc limit 1`,
    values: [workerId, projectId, withShared],
  })
  return result.rows[0]
}

/** Draining is final: nothing but the end follows it. True when the session is in that state now. */
export async function setSessionState(
  client: Queryable,
  sessionId: string,
  to: 'active' | 'paused' | 'draining',
): Promise<boolean> {
  const result = await client.query({
    name: 'set-session-state',
    text: `
with changed as (
  update sessions set state = $2 where id = $1 and (state = $2 or state in ('active', 'paused')) returning id
),
raised as (${raiseControl} where exists (select 1 from changed))
select id from changed`,
    values: [sessionId, to],
  })
  return result.rows.length > 0
}

/** A worker says that it leaves. */
export async function endSession(client: Queryable, sessionId: string): Promise<void> {
  await client.query({
    name: 'end-session',
    text: `
with ended as (
  update sessions set state = 'ended', ended_at = clock_timestamp() where id = $1 and state <> 'ended' returning id
)
${raiseControl} where exists (select 1 from ended)`,
    values: [sessionId],
  })
}

/** What ended long ago and holds nothing. */
export async function removeOldSessions(client: Queryable, limit: number): Promise<number> {
  const result = await client.query({
    name: 'remove-old-sessions',
    text: `
delete from sessions where id in (
  select s.id from sessions s
  where s.state = 'ended' and s.ended_at < clock_timestamp() - interval '1 day'
    and not exists (select 1 from tasks t where t.session_id = s.id and t.status = 'running')
  limit $1
)`,
    values: [limit],
  })
  return result.rowCount ?? 0
}

export async function countWorkers(client: Queryable): Promise<Map<string, number>> {
  const result = await client.query<{ state: string; count: number }>({
    name: 'count-workers',
    text: `select state, count(*)::int as count from sessions where state <> 'ended' group by state`,
  })
  return new Map(result.rows.map((row) => [row.state, row.count]))
}
