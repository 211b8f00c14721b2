import { bigint, boolean, double, int, nullable, smallint, text, unsentFlag, uuid } from '../columns.js'
import { reportedResults } from '../event-sql.js'
import { groupEnds, itemDeadLetters, itemUpdates } from '../item-sql.js'
import { queueItems } from '../queue-sql.js'
import { type Flags, fixed, rows } from './clause.js'

/**
 * Map items. Each is a unit: it wins if its row has the expected status and lease, its map stands as the decision took it
 * to, and the timer that brought the change still stands; its run is neither locked nor written. Locks are taken on the
 * groups, then on places in the queue, then on the items, each in order.
 *
 * A slice wins if its map stands where the slice before left it.
 *
 * No batch changes a run and an item or a slice of its maps: the row of a group is written by one clause only.
 */
export const itemLocks = {
  itemChanges: rows(
    'c',
    {
      id: uuid,
      runId: uuid,
      ordinal: int,
      expected: text,
      /** Null: whatever it is. */
      token: nullable(bigint),
      leaseId: nullable(uuid),
      sessionId: nullable(uuid),
      /** How the map has to stand. */
      ending: nullable(text),
      /** Null: either way. */
      paused: nullable(boolean),
      /** Of the output of an item that succeeds. */
      outputBytes: int,
      /** It goes into the queue. */
      queued: unsentFlag,
      /** It is leased only together with slots. */
      limited: boolean,
      /** Null: none is due. */
      deadLetterId: nullable(uuid),
      /** The topic under which the worker's reported result is published. */
      claim: nullable(text),
      reportSource: nullable(text),
      /** The output as that event has it. */
      reportOutput: nullable(text),
      durationMs: double,
    },
    (source) => `item_change as materialized (select * from ${source})`,
  ),
  /** Items of a map that begin together: from an index up to another, as far as they are not done already. */
  slices: rows(
    's',
    {
      /** The map's task. */
      unit: uuid,
      ...{ runId: uuid, ordinal: int, projectId: uuid, round: int, firstIndex: int, endIndex: int },
      ...{ key: text, name: text, uses: text, queue: text, priority: smallint, timeoutMs: nullable(bigint) },
      /** They are leased only together with slots. */
      limited: boolean,
    },
    (source) => `slice as materialized (select * from ${source})`,
  ),
  lockedGroups: fixed(
    ({ itemChanges, slices }) => itemChanges || slices,
    ({ itemChanges, slices, runChanges }) => `locked_groups as materialized (
  select g.* from map_groups g join (${[itemChanges ? 'item_change' : '', slices ? 'slice' : '']
    .filter(Boolean)
    .map((name) => `select distinct run_id, ordinal from ${name}`)
    .join(' union ')}) c using (run_id, ordinal)${runChanges ? '\n  where (select count(*) from locked) >= 0' : ''}
  order by g.run_id, g.ordinal for update of g
)`,
  ),
  lockedItems: fixed(
    ({ itemChanges }) => itemChanges,
    ({ unqueuedItems }) => `${unqueuedItems ? places : ''}locked_items as materialized (
  select t.id, t.run_id, t.status, t.token, t.lease_id, t.session_id, t.holds_slots from tasks t
  where t.id in (select id from item_change)
    and (select count(*) from ${unqueuedItems ? 'locked_places' : 'locked_groups'}) >= 0
  order by t.id for update
)`,
  ),
}

/** Only under locks of the groups that a statement before took: see `lockMaps`. */
const places = `locked_places as materialized (
  select q.task_id from task_queue q
  where q.task_id in (select id from item_change where expected = 'queued') and (select count(*) from locked_groups) >= 0
  order by q.task_id for update
),
`

export const wonItems = fixed(
  ({ itemChanges }) => itemChanges,
  ({ releases, firedTimers }) => `won_items as materialized (
  select c.* from item_change c join locked_items t on t.id = c.id and t.run_id = c.run_id
    join locked_groups g on g.run_id = c.run_id and g.ordinal = c.ordinal
  where t.status = c.expected and g.closed_at is null and g.ending is not distinct from c.ending
    and g.paused = coalesce(c.paused, g.paused)
    and t.token = coalesce(c.token, t.token) and t.lease_id is not distinct from coalesce(c.lease_id, t.lease_id)
    and t.session_id is not distinct from coalesce(c.session_id, t.session_id)${
      // Nobody knew that there is something to give back: decided again, by who knows.
      releases ? '' : '\n    and not t.holds_slots'
    }${firedTimers ? `\n    and c.id not in (${lostTimer})` : ''}
)`,
)

/** A map that is ending or paused, or whose next slice another scheduler began, begins none. */
export const wonSlices = fixed(
  ({ slices }) => slices,
  () => `won_slices as materialized (
  select s.* from slice s join locked_groups g on g.run_id = s.run_id and g.ordinal = s.ordinal
  where g.round = s.round and g.made = s.first_index and g.ending is null and not g.paused and g.closed_at is null
)`,
)

export const lostTimer = `
    select f.unit from fired_timer f where not exists (select 1 from timers t where t.id = f.id)
  `

const ENDED = `('succeeded', 'failed', 'skipped', 'cancelled')`

/** What follows from the items that won or began, beside what follows for any task. */
export const itemClauses = {
  writtenItems: fixed(
    ({ itemChanges, slices }) => itemChanges || slices,
    (flags) => `written_items as materialized (
  ${[flags.itemChanges ? changedItems : '', flags.newItems ? begunItems(flags) : ''].filter(Boolean).join('\n  union all\n  ') || noItems}
),
${followUps(flags).join(',\n')}`,
  ),
  /** Timers that found nothing left to do: of items, since a run's decision says so itself. */
  spentTimers: rows(
    's',
    { id: bigint },
    (source) => `delete_spent_timers as (delete from timers t using ${source} where t.id = s.id)`,
  ),
}

const changedItems = `select t.*, w.limited, w.output_bytes, w.dead_letter_id, w.claim, w.report_source, w.report_output,
    w.duration_ms, case when t.status in ${ENDED} then -1 else 0 end as opened
  from update_tasks t join won_items w on w.id = t.id`

const begunItems = ({ itemChanges, failedItems }: Flags): string => `select t.*, ${
  itemChanges ? 'null::text as failure, false as attempt_failed, null::uuid as granted, ' : ''
}s.limited, 0 as output_bytes, ${failedItems ? 'f.dead_letter_id' : 'null::uuid as dead_letter_id'}, null::text as claim,
    null::text as report_source, null::text as report_output, 0::double precision as duration_ms,
    case when t.status = 'failed' then 0 else 1 end as opened
  from insert_items t join won_slices s on s.run_id = t.run_id and s.ordinal = t.ordinal${
    failedItems ? '\n    left join failed_item f on f.id = t.id' : ''
  }`

/** All items of the slice were done already. */
const noItems =
  'select t.*, false as limited, 0 as output_bytes, null::uuid as dead_letter_id, 0 as opened from tasks t where false'

const followUps = ({ queuedItems, itemDeaths, itemReports, slices }: Flags): string[] => [
  ...(queuedItems ? [queueItems('insert_item_queue', 'written_items', 't.limited')] : []),
  ...(itemDeaths ? [itemDeadLetters('written_items')] : []),
  ...(itemReports ? [reportedResults('insert_item_reports', 'written_items')] : []),
  itemUpdates('insert_item_events', 'written_items'),
  `group_change as (
  select run_id, ordinal, sum(opened)::int as opened, sum(output_bytes)::bigint as bytes, max(made) as made
  from (
    select run_id, ordinal, opened, output_bytes, null::int as made from written_items where opened <> 0${
      slices ? '\n    union all select run_id, ordinal, 0, 0, end_index from won_slices' : ''
    }
  ) c group by run_id, ordinal
)`,
  `count_items as (
  update map_groups g set open = g.open + y.opened, output_bytes = g.output_bytes + y.bytes,
    made = coalesce(y.made, g.made),
    closed_at = case when (coalesce(y.made, g.made) = g.total or g.ending is not null) and g.open + y.opened <= 0
      then clock.now end
  from group_change y, clock where g.run_id = y.run_id and g.ordinal = y.ordinal
  returning g.*
)`,
  groupEnds('count_items'),
]
