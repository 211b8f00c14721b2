import { bigint, boolean, int, nullable, smallint, text, timestamptz, uuid } from '../columns.js'
import { always, type Flags, fixed, rows } from './clause.js'
import { itemLocks, lostTimer, wonItems, wonSlices } from './item-clauses.js'

/** In order: two replicas that create the same runs wait for each other's, and never in a circle. */
const insertRuns = (
  from: string,
): string => `insert into runs (id, project_id, workflow_id, workflow, version, version_id, status, reason, priority, labels,
    requested_by, traceparent, origin, queue_defaults, input, output, error, created_at, started_at, finished_at)
  select n.id, n.project_id, n.workflow_id, n.workflow, n.version, n.version_id, n.status, n.reason, n.priority,
    n.labels::json, n.requested_by, n.traceparent, n.origin::json, n.queue_defaults::json, n.input::json, n.output::json,
    n.error::json, n.created_at::timestamptz,
    case when n.started then clock.now end, case when n.ended then clock.now end
  from ${from}, clock order by n.id
  on conflict (id) do nothing`

const updateRuns = (from: string): string => `update runs r set
    rev = r.rev + 1, status = w.status, reason = w.reason,
    output = case when w.set_output then w.output::json else r.output end,
    error = case when w.set_error then w.error::json else r.error end,
    generation = r.generation + case when w.reopened then 1 else 0 end,
    started_at = case when w.started then clock.now else r.started_at end,
    finished_at = case when w.ended then clock.now when w.reopened then null else r.finished_at end
  from ${from}, clock where r.id = w.run_id`

/**
 * Locks, guards and runs. Locks are taken on run rows, then on groups of maps, then on the task rows that are to end, each
 * in id order. `applied` holds the units that won: map items and slices (see item-clauses.ts), runs that are new, and runs whose rev
 * matched, all of whose guarded tasks are running under the expected lease, and all of whose fired timers still stand
 * (whatever calls one off raises the rev: timers need no lock).
 */
export const runClauses = {
  runChanges: rows(
    'c',
    {
      runId: uuid,
      expectedRev: bigint,
      status: text,
      reason: nullable(text),
      setOutput: boolean,
      output: nullable(text),
      setError: boolean,
      error: nullable(text),
      started: boolean,
      ended: boolean,
      reopened: boolean,
      /** Retries wait until the run is resumed. */
      dropRetries: boolean,
    },
    (source) => `change as materialized (select * from ${source}),
locked as materialized (
  select r.id, r.rev from runs r where r.id in (select run_id from change) order by r.id for update
)`,
    (source) => updateRuns(`(select * from ${source}) w`),
  ),
  ...itemLocks,
  guards: rows(
    'g',
    {
      runId: uuid,
      taskId: uuid,
      token: bigint,
      leaseId: uuid,
      /** Null: whoever holds it. */
      sessionId: nullable(uuid),
    },
    (source, { releases, itemChanges }) => `guard as materialized (select * from ${source}),
locked_tasks as materialized (
  select t.id, t.status, t.token, t.lease_id, t.session_id${releases ? '' : ', t.holds_slots'} from tasks t
  where t.id in (select task_id from guard) and (select count(*) from ${itemChanges ? 'locked_items' : 'locked'}) >= 0
  order by t.id for update
)`,
  ),
  firedTimers: rows(
    'f',
    { id: bigint, unit: uuid },
    (source) => `fired_timer as materialized (select * from ${source})`,
  ),
  won: fixed(({ runChanges }) => runChanges, won),
  wonItems,
  wonSlices,
  // Read once, after the locks: two calls could invert the order of two writes.
  clock: fixed(always, ({ runChanges, itemChanges, slices }) => {
    const after = [runChanges ? 'won' : '', itemChanges ? 'won_items' : '', slices ? 'won_slices' : ''].filter(Boolean)
    const from = after.map((name) => `(select count(*) from ${name}) ${name}`).join(', ')
    return `clock as materialized (select clock_timestamp() as now${from && ` from ${from}`})`
  }),
  newRuns: rows(
    'n',
    {
      id: uuid,
      projectId: uuid,
      workflowId: nullable(uuid),
      workflow: text,
      version: int,
      versionId: uuid,
      status: text,
      reason: nullable(text),
      priority: smallint,
      labels: text,
      requestedBy: text,
      traceparent: nullable(text),
      /** JSON text. */
      origin: nullable(text),
      queueDefaults: nullable(text),
      input: nullable(text),
      output: nullable(text),
      error: nullable(text),
      createdAt: timestamptz,
      started: boolean,
      ended: boolean,
    },
    (source) => `insert_runs as (
  ${insertRuns(source)}
  returning id, rev, started_at, finished_at
)`,
    insertRuns,
  ),
  updatedRuns: fixed(
    ({ runChanges }) => runChanges,
    () => `update_runs as (
  ${updateRuns('won w')}
  returning r.id, r.rev, r.started_at, r.finished_at
)`,
  ),
  applied: fixed(always, ({ newRuns, runChanges, itemChanges, slices }) => {
    const sources = [
      newRuns ? 'select * from insert_runs' : '',
      runChanges ? 'select * from update_runs' : '',
      itemChanges ? `select id, ${ofNoRun} from won_items` : '',
      slices ? `select unit as id, ${ofNoRun} from won_slices` : '',
    ]
    return `applied as (${sources.filter(Boolean).join(' union all ') || noUnits})`
  }),
}

const ofNoRun = '0::bigint as rev, null::timestamptz as started_at, null::timestamptz as finished_at'

/** The statement only polls the queue. */
const noUnits = `select null::uuid as id, ${ofNoRun} where false`

/**
 * Written so that the planner expects a good part of the runs to win. With plain equality and `not exists` it expects one
 * row, and joins every event with every task in nested loops: 15 of the 20 ms that a batch of 36 runs took.
 */
function won(flags: Flags): string {
  const lost = [flags.guards ? lostLease(flags) : '', flags.firedTimers ? lostTimer : ''].filter(Boolean)
  const conditions = [
    'case when l.rev = c.expected_rev then true else false end',
    ...lost.map((runs) => `c.run_id not in (${runs})`),
  ]
  return `won as materialized (
  select c.* from change c join locked l on l.id = c.run_id
  where ${conditions.join(' and ')}
)`
}

const lostLease = ({ releases }: Flags) => `
    select g.run_id from guard g left join locked_tasks t on t.id = g.task_id
    where (t.id is null or t.status <> 'running' or t.token <> g.token or t.lease_id is distinct from g.lease_id
        or t.session_id is distinct from coalesce(g.session_id, t.session_id)${
          // Nobody knew that there is something to give back: decided again, on the path that reads it.
          releases ? '' : ' or t.holds_slots'
        })
  `
