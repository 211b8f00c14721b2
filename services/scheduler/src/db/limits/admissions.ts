import { type Pool, type Queryable, withTransaction } from '@millrace/postgres'
import { type AdmissionDecision, type AdmissionRow, admitRuns as decide } from '../../domain/limits/admit-runs.js'
import { CONCURRENCY } from '../../domain/limits/run-admission.js'
import { slotName } from '../../domain/limits/task-limits.js'
import type { AdmissionState } from '../../domain/state.js'
import { lockSlots, type SlotKey } from './slots.js'

/** Runs that find a message in their inbox, by what it says. */
export interface Admitted {
  readonly admitted: readonly string[]
  readonly refused: readonly string[]
  readonly leaving: readonly string[]
}

/** Rows of an admission queue that one decision takes, from either end. */
const SLICE = 200
/** Keys that one search takes. */
const KEYS = 500

/**
 * Lets runs begin under one key of a workflow. Locks the key's row, reads the admission queue in a second statement, decides, and
 * writes who goes with a message to each in its inbox: a crash afterwards loses nothing, and a second replica waits for
 * the lock and then finds the queue as it is.
 *
 * Only rows that still wait are admitted and counted: whoever was cancelled meanwhile has deleted its row.
 */
export function admitRuns(pool: Pool, key: SlotKey): Promise<Admitted> {
  return withTransaction(pool, async (tx) => {
    const { slots } = await lockSlots(tx, [key])
    const inUse = slots.get(slotName(key.projectId, key))?.inUse ?? 0
    const queue = await readAdmissions(tx, key)
    const decision = decide({ ...queue, inUse })
    const affected = decision.admitted.length + decision.refused.length + decision.leaving.length
    return affected === 0 ? nobody : writeDecision(tx, key, decision)
  })
}

const nobody: Admitted = { admitted: [], refused: [], leaving: [] }

interface AdmissionRecord extends AdmissionRow {
  state: 'waiting' | 'admitted'
  liveTotal: number
}

async function readAdmissions(tx: Queryable, { projectId, key }: SlotKey) {
  const columns = `run_id as "runId", id, run_limit as "limit", on_limit as "onLimit", state`
  const result = await tx.query<AdmissionRecord>({
    name: 'read-admissions',
    text: `
with live as (
  select ${columns}, count(*) over () as total from run_admissions
  where project_id = $1 and key = $2 and state = 'admitted' and not leaving order by id limit $3
)
(select ${columns}, 0 as "liveTotal" from run_admissions
  where project_id = $1 and key = $2 and state = 'waiting' order by priority desc, id limit $3)
union all
(select "runId", id, "limit", "onLimit", state, total from live)`,
    values: [projectId, key, SLICE],
  })
  const live = result.rows.filter(({ state }) => state === 'admitted').sort((a, b) => a.id - b.id)
  return { waiting: result.rows.filter(({ state }) => state === 'waiting'), live, liveTotal: live[0]?.liveTotal ?? 0 }
}

const ids = (rows: readonly AdmissionRow[]): string[] => rows.map(({ runId }) => runId)

async function writeDecision(tx: Queryable, key: SlotKey, decision: AdmissionDecision): Promise<Admitted> {
  const result = await tx.query<{ run_id: string; what: keyof Admitted }>({
    name: 'write-admission-decision',
    text: `
with moved as (
  update run_admissions a set
    state = case when v.what = 'leaving' then a.state else v.what end, leaving = v.what = 'leaving'
  from (
    select unnest($3::uuid[]) as run_id, 'admitted' as what
    union all select unnest($4::uuid[]), 'refused'
    union all select unnest($5::uuid[]), 'leaving'
  ) v
  where a.run_id = v.run_id and a.state = case when v.what = 'leaving' then 'admitted' else 'waiting' end
  returning a.run_id, a.id, v.what
),
used as (
  update slots s set in_use = s.in_use + n.admitted
  from (select count(*)::int as admitted from moved where what = 'admitted') n
  where s.project_id = $1 and s.scope = 'workflow' and s.key = $2 and n.admitted > 0
),
insert_inbox as (
  insert into run_inbox (run_id, command, dedupe_key)
  select m.run_id, case when m.what = 'admitted' then json_build_object('kind', 'admit')
      else json_build_object('kind', 'cancel', 'reason', '${CONCURRENCY}') end,
    'line:' || m.id || ':' || m.what
  from moved m
  on conflict (dedupe_key) do nothing
)
select run_id, what from moved`,
    values: [key.projectId, key.key, ids(decision.admitted), ids(decision.refused), ids(decision.leaving)],
  })
  const of = (what: keyof Admitted) => result.rows.filter((row) => row.what === what).map((row) => row.run_id)
  return { admitted: of('admitted'), refused: of('refused'), leaving: of('leaving') }
}

/** Keys under which runs wait, slice by slice in key order; one step down the index each. */
export async function findWaitingRuns(client: Queryable, after: SlotKey | null): Promise<SlotKey[]> {
  const from = after ?? { projectId: '00000000-0000-0000-0000-000000000000', key: '' }
  const result = await client.query<SlotKey>({
    name: 'find-waiting-runs',
    text: `
with recursive step as (
  (select a.project_id, a.key from run_admissions a
    where a.state = 'waiting' and (a.project_id, a.key) > ($1::uuid, $2::text) order by a.project_id, a.key limit 1)
  union all
  select n.* from step cross join lateral (
    select a.project_id, a.key from run_admissions a
    where a.state = 'waiting' and (a.project_id, a.key) > (step.project_id, step.key)
    order by a.project_id, a.key limit 1
  ) n
)
select project_id as "projectId", 'workflow' as scope, key from step limit $3::int`,
    values: [from.projectId, from.key, KEYS],
  })
  return result.rows
}

/** Read under the run's lock. A run that was refused is about to be cancelled and counts as one that waits. */
export async function loadAdmission(client: Queryable, runId: string): Promise<AdmissionState> {
  const result = await client.query<{ state: string }>({
    name: 'load-admission',
    text: 'select state from run_admissions where run_id = $1',
    values: [runId],
  })
  const state = result.rows[0]?.state
  return state === undefined ? 'none' : state === 'admitted' ? 'admitted' : 'waiting'
}
