import { boolean, int, nullable, text, uuid } from '../columns.js'
import { HARD, itemUpdates } from '../item-sql.js'
import { queueItems } from '../queue-sql.js'
import { fixed, rows } from './clause.js'

/** What a run's decision does to the groups of its maps. The group's row is written by one clause only. */
export const mapClauses = {
  /** A map begins, or is taken up again from its first item: a row that is there keeps its items. */
  mapOpens: rows(
    'o',
    {
      ...{ runId: uuid, ordinal: int, taskId: uuid, projectId: uuid, items: text, total: int, maxParallel: int },
      ...{ round: int, paused: boolean, ending: nullable(text) },
    },
    (source) => `insert_map_groups as (
  insert into map_groups (run_id, ordinal, task_id, project_id, items, total, max_parallel, run_rev, round, paused,
    ending, ending_at)
  select o.run_id, o.ordinal, o.task_id, o.project_id, o.items::json, o.total, o.max_parallel, a.rev, o.round, o.paused,
    o.ending, case when o.ending is not null then clock.now end
  from ${source} join applied a on a.id = o.run_id, clock
  on conflict (run_id, ordinal) do update set run_rev = excluded.run_rev, round = excluded.round, made = 0, open = 0,
    paused = excluded.paused, ending = excluded.ending, ending_at = excluded.ending_at, closed_at = null
)`,
  ),
  itemRetries: rows(
    'c',
    {
      id: uuid,
      runId: uuid,
      ordinal: int,
      /** Attempts that it gets beyond those it had. */
      moreAttempts: int,
      input: nullable(text),
      /** False in a run that is paused. */
      queued: boolean,
      limited: boolean,
    },
    (source) => `item_retry as materialized (select c.* from ${source} join applied a on a.id = c.run_id),
retry_items as (
  update tasks t set status = 'queued', rev = t.rev + 1, attempt = t.attempt + 1,
    max_attempts = t.attempt + c.more_attempts, losses = 0, queued_at = clock.now, started_at = null, finished_at = null
  from item_retry c, clock where t.id = c.id and t.run_id = c.run_id and t.status = 'failed'
  returning t.*, c.queued as enters_queue, c.limited
),
${queueItems('insert_retried_queue', 'retry_items', 't.limited', 't.enters_queue')},
insert_retried_inputs as (
  insert into task_payloads (task_id, input) select c.id, c.input::json from item_retry c where c.input is not null
  on conflict (task_id) do update set input = excluded.input
),
${itemUpdates('insert_retried_events', 'retry_items')}`,
  ),
  /**
   * A group that had ended before its items did is taken up again from its first item when one of them is retried; else
   * only that item runs. A stop gives way to a harder end, and nothing to a stop.
   */
  mapMarks: rows(
    'm',
    {
      runId: uuid,
      ordinal: int,
      ending: nullable(text),
      /** Null: as it is. */
      paused: nullable(boolean),
      /** Set when items of it are retried. */
      round: nullable(int),
      /** Its items are leased only together with slots. */
      limited: boolean,
    },
    (source, { itemRetries }) => `mark as materialized (select * from ${source}),
update_map_groups as (
  update map_groups g set
    ending = case when m.round is not null and g.closed_at is not null then m.ending
      when m.ending is null or g.ending in ${HARD} or (g.ending is not null and m.ending = 'stop') then g.ending
      else m.ending end,
    ending_at = case when m.ending is null or g.ending in ${HARD} then g.ending_at else clock.now end,
    paused = coalesce(m.paused, g.paused),
    round = coalesce(m.round, g.round),
    run_rev = case when m.round is null then g.run_rev else a.rev end,
    made = case when m.round is not null and g.closed_at is not null and g.ending is not null then 0 else g.made end,
    closed_at = case when m.round is null then g.closed_at end${
      itemRetries
        ? `,
    open = g.open + (select count(*) from retry_items v where v.run_id = g.run_id and v.ordinal = g.ordinal)::int`
        : ''
    }
  from mark m join applied a on a.id = m.run_id, clock where g.run_id = m.run_id and g.ordinal = m.ordinal
)`,
  ),
  pausedItems: fixed(
    ({ mapPauses }) => mapPauses,
    () => `delete_paused_queue as (
  delete from task_queue q using mark m, applied a where a.id = m.run_id and m.paused and q.run_id = m.run_id and q.child
)`,
  ),
  // What left the queue goes back into it; retries that were put off are due. Locked, group before items, and so looked
  // at again: another scheduler may have ended them since the statement began.
  resumedItems: fixed(
    ({ mapResumes }) => mapResumes,
    () => `resumed_groups as materialized (
  select g.run_id, g.ordinal, m.limited from map_groups g join mark m on g.run_id = m.run_id and g.ordinal = m.ordinal
    join applied a on a.id = m.run_id
  where m.paused = false order by g.run_id, g.ordinal for update of g
),
resumed_items as materialized (
  select t.*, g.limited from tasks t join resumed_groups g on t.run_id = g.run_id and t.ordinal = g.ordinal
  where t.idx >= 0 and t.status in ('queued', 'delayed') order by t.id for update of t
),
${queueItems('insert_resumed_queue', 'resumed_items', 't.limited')},
insert_resumed_timers as (
  insert into timers (run_id, task_id, kind, due_at)
  select t.run_id, t.id, 'retry', clock.now from resumed_items t, clock where t.status = 'delayed'
)`,
  ),
}
