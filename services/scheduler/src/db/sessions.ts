import type { Queryable } from '@millrace/postgres'
import { publishLostWorkers } from './alerts.js'
import { raiseControl } from './control.js'

export interface SessionRow {
  id: string
  secret_hash: Buffer
  project_id: string | null
  worker_id: string
  name: string
  executors: string[]
  queues: string[]
  concurrency: number
  state: 'active' | 'paused' | 'draining' | 'ended'
  /** Null of a session that a scheduler made before owners were recorded. */
  owner: string | null
}

export interface NewSession {
  id: string
  secretHash: Buffer
  /** The credential that registers it: `key:<id>` or `service:<name>`. */
  owner: string
  projectId: string | null
  workerId: string
  name: string
  executors: readonly string[]
  queues: readonly string[]
  concurrency: number
  sdk: string
  version: string
  state: 'active' | 'paused'
}

export async function insertSession(client: Queryable, session: NewSession, leaseMs: number): Promise<void> {
  await client.query({
    name: 'insert-session',
    text: `
with raised as (${raiseControl} where $11::text <> 'active')
insert into sessions (id, secret_hash, project_id, worker_id, name, executors, queues, concurrency, sdk, version, state,
  owner, until)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, clock_timestamp() + make_interval(secs => $13 / 1000.0))`,
    values: [
      session.id,
      session.secretHash,
      session.projectId,
      session.workerId,
      session.name,
      session.executors,
      session.queues,
      session.concurrency,
      session.sdk,
      session.version,
      session.state,
      session.owner,
      leaseMs,
    ],
  })
}

export async function findSession(client: Queryable, id: string): Promise<SessionRow | undefined> {
  const result = await client.query<SessionRow>({
    name: 'find-session',
    text: `select id, secret_hash, project_id, worker_id, name, executors, queues, concurrency, state, owner
      from sessions where id = $1 and state <> 'ended'`,
    values: [id],
  })
  return result.rows[0]
}

export interface HeldRow {
  task_id: string
  lease_id: string
  token: number
}

/** Extends the one row that all of a worker's leases hang on. No row: the session has ended. */
export async function extendSession(client: Queryable, id: string, leaseMs: number): Promise<boolean> {
  const result = await client.query({
    name: 'extend-session',
    text: `update sessions set until = clock_timestamp() + make_interval(secs => $2 / 1000.0), seen_at = clock_timestamp()
      where id = $1 and state <> 'ended'`,
    values: [id, leaseMs],
  })
  return (result.rowCount ?? 0) > 0
}

/** Its worker is known to be dead: no fresh term after a gap can bring it back, so it ends here and now. */
export async function endDeadSession(client: Queryable, id: string): Promise<void> {
  await client.query(
    `with clock as materialized (select clock_timestamp() as now),
    ended as (
      update sessions s set state = 'ended', ended_at = clock_timestamp(), lost = s.state <> 'draining'
        or exists (select 1 from tasks t where t.session_id = s.id and t.status = 'running')
      where s.id = $1 and s.state <> 'ended' returning s.*
    ),${publishLostWorkers('ended')}
    select 1`,
    [id],
  )
}

export async function listHeld(client: Queryable, sessionId: string): Promise<HeldRow[]> {
  const result = await client.query<HeldRow>({
    name: 'list-held',
    text: `select id as task_id, lease_id, token from tasks where session_id = $1 and status = 'running'`,
    values: [sessionId],
  })
  return result.rows
}

/** For how long nobody may take anything back: asked for now, and if there was a gap. 0 = no hold. */
export interface HoldTerms {
  readonly nowMs: number
  readonly onGapMs: number
}

export interface Liveness {
  gap: boolean
  /** Some replica still reads what came in during a gap. */
  held: boolean
  ended: string[]
}

/**
 * Marks that a scheduler looks after the leases, and ends sessions past their time. After a gap in which nobody did (or
 * the database or the whole machine slept), every live session gets a fresh term instead: nobody could have extended it
 * meanwhile. A database that was started since the last time is a gap however short: this and heartbeats come at
 * different moments, and where it is away again and again the ones may get through and the others not. One statement, so
 * that no gap can open between the reading of the row and the end of a session.
 */
export async function recordLiveness(
  client: Queryable,
  gapMs: number,
  leaseMs: number,
  hold: HoldTerms = { nowMs: 0, onGapMs: 0 },
): Promise<Liveness> {
  const result = await client.query<Liveness>({
    name: 'record-liveness',
    text: `
with liveness as (select at, hold_until from engine_pulse for update),
seen as (
  select now, now - at > make_interval(secs => $1 / 1000.0) or at < pg_postmaster_start_time() as gap, hold_until
  from (select clock_timestamp() as now, at, hold_until from liveness) p
),
hold as (
  select now, gap, greatest(hold_until, now + make_interval(secs =>
    greatest($3, case when gap then $4 else 0 end) / 1000.0)) as hold_until from seen
),
clock as materialized (select now, gap, hold_until, hold_until > now as held from hold),
fresh as (
  update sessions s set until = greatest(s.until, clock.now + make_interval(secs => $2 / 1000.0))
  from clock where s.state <> 'ended' and (clock.gap or clock.held)
),
ended as (
  update sessions s set state = 'ended', ended_at = clock.now, lost = s.state <> 'draining'
    or exists (select 1 from tasks t where t.session_id = s.id and t.status = 'running')
  from clock where s.state <> 'ended' and s.until < clock.now and not clock.gap and not clock.held
  returning s.*
),
${publishLostWorkers('ended')},
update_liveness as (update engine_pulse set at = clock.now, hold_until = clock.hold_until from clock)
select gap, held, array(select id::text from ended) as ended from clock`,
    values: [gapMs, leaseMs, hold.nowMs, hold.onGapMs],
  })
  return result.rows[0] ?? { gap: false, held: false, ended: [] }
}

/** The project of the run, if this credential's session holds a live lease in it. */
export async function holdsLeaseInRun(
  client: Queryable,
  sessionId: string,
  runId: string,
  owner: string,
): Promise<string | undefined> {
  const result = await client.query<{ project_id: string }>({
    name: 'holds-lease-in-run',
    text: `select t.project_id from tasks t join sessions s on s.id = t.session_id and s.state <> 'ended' and s.owner = $3
      where t.session_id = $1 and t.run_id = $2 and t.status = 'running' limit 1`,
    values: [sessionId, runId, owner],
  })
  return result.rows[0]?.project_id
}

export interface LiveSession {
  projectId: string | null
  executors: string[]
  queues: string[]
  state: string
}

export async function listLiveSessions(client: Queryable, projectId: string): Promise<LiveSession[]> {
  const result = await client.query<LiveSession>({
    name: 'list-live-sessions',
    text: `select project_id as "projectId", executors, queues, state from sessions
      where state <> 'ended' and (project_id is null or project_id = $1)`,
    values: [projectId],
  })
  return result.rows
}

/** The API keys that live sessions belong to, in order of their ids. */
export async function listSessionKeys(client: Queryable, after: string, limit: number): Promise<string[]> {
  const result = await client.query<{ owner: string }>({
    name: 'list-session-keys',
    text: `select distinct owner from sessions
      where state <> 'ended' and owner like 'key:%' and owner > $1 order by owner limit $2`,
    values: [`key:${after}`, limit],
  })
  return result.rows.map(({ owner }) => owner.slice('key:'.length))
}

export async function listSessionsOfKeys(client: Queryable, keyIds: readonly string[]): Promise<string[]> {
  const result = await client.query<{ id: string }>({
    name: 'list-sessions-of-keys',
    text: `select id from sessions where state <> 'ended' and owner = any($1::text[])`,
    values: [keyIds.map((id) => `key:${id}`)],
  })
  return result.rows.map(({ id }) => id)
}
