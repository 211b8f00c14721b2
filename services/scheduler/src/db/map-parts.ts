import { childUpdates, HARD, queueChildren } from './child-sql.js'
import type { WriteRows } from './write-rows.js'
import type { Shape } from './write-statement.js'

type Use = (key: keyof WriteRows) => string

/** What a run's decision does to the groups of its maps. The group's row is written by one part only. */
export function mapParts(shape: Shape, use: Use): string[] {
  const parts: string[] = []
  if (shape.mapOpens) parts.push(opened(use))
  if (shape.childRetries) parts.push(...revived(use))
  if (shape.mapMarks) parts.push(`mark as materialized (select * from ${use('mapMarks')})`, marked(shape))
  if (shape.mapPauses) {
    parts.push(`children_paused as (
  delete from task_queue q using mark m, applied a where a.id = m.run_id and m.paused and q.run_id = m.run_id and q.child
)`)
  }
  if (shape.mapResumes) parts.push(...resumed)
  return parts
}

const opened = (use: Use) => `maps_opened as (
  insert into map_groups (run_id, ordinal, task_id, project_id, items, total, max_parallel, run_rev, round, paused,
    ending, ending_at)
  select o.run_id, o.ordinal, o.task_id, o.project_id, o.items::json, o.total, o.max_parallel, a.rev, o.round, o.paused,
    o.ending, case when o.ending is not null then clock.now end
  from ${use('mapOpens')} join applied a on a.id = o.run_id, clock
  on conflict (run_id, ordinal) do update set run_rev = excluded.run_rev, round = excluded.round, made = 0, open = 0,
    paused = excluded.paused, ending = excluded.ending, ending_at = excluded.ending_at, closed_at = null
)`

const revived = (use: Use): string[] => [
  `retried_child as materialized (select c.* from ${use('childRetries')} join applied a on a.id = c.run_id)`,
  `revived as (
  update tasks t set status = 'queued', rev = t.rev + 1, attempt = t.attempt + 1,
    max_attempts = t.attempt + c.more_attempts, losses = 0, queued_at = clock.now, started_at = null, finished_at = null
  from retried_child c, clock where t.id = c.id and t.run_id = c.run_id and t.status = 'failed'
  returning t.*, c.queued as enters_queue, c.limited
)`,
  queueChildren('revived_queue', 'revived', 't.limited', 't.enters_queue'),
  `revived_inputs as (
  insert into task_payloads (task_id, input) select c.id, c.input::json from retried_child c where c.input is not null
  on conflict (task_id) do update set input = excluded.input
)`,
  childUpdates('revived_told', 'revived'),
]

/**
 * A group that had ended before its children did is taken up again from its first item when one of them is retried;
 * else only that child runs. A stop gives way to a harder end, and nothing to a stop.
 */
const marked = (shape: Shape) => `maps_marked as (
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
      shape.childRetries
        ? `,
    open = g.open + (select count(*) from revived v where v.run_id = g.run_id and v.ordinal = g.ordinal)::int`
        : ''
    }
  from mark m join applied a on a.id = m.run_id, clock where g.run_id = m.run_id and g.ordinal = m.ordinal
)`

/**
 * What left the queue goes back into it; retries that were put off are due. Locked, group before children, and so looked
 * at again: another scheduler may have ended them since the statement began.
 */
const resumed: string[] = [
  `groups_back as materialized (
  select g.run_id, g.ordinal, m.limited from map_groups g join mark m on g.run_id = m.run_id and g.ordinal = m.ordinal
    join applied a on a.id = m.run_id
  where m.paused = false order by g.run_id, g.ordinal for update of g
)`,
  `children_back as materialized (
  select t.*, g.limited from tasks t join groups_back g on t.run_id = g.run_id and t.ordinal = g.ordinal
  where t.idx >= 0 and t.status in ('queued', 'delayed') order by t.id for update of t
)`,
  queueChildren('children_resumed', 'children_back', 't.limited'),
  `children_retried as (
  insert into timers (run_id, task_id, kind, due_at)
  select t.run_id, t.id, 'retry', clock.now from children_back t, clock where t.status = 'delayed'
)`,
]
