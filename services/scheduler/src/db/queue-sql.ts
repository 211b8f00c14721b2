import { QueuePart } from '../domain/queue.js'

/** The part for a task that goes (back) into the queue, by the limits it was made ready with. */
export const partOf = (taskId: string, more = 'false'): string =>
  `case when ${more} or exists (select 1 from task_limits l where l.task_id = ${taskId})
    then ${QueuePart.limited} else ${QueuePart.plain} end`

interface QueueSource {
  /** The alias of the rows that have run_id, project_id, queue, uses and priority. */
  readonly row: string
  readonly taskId?: string
  /** Whether it is a map item. */
  readonly child: string
  readonly part: string
  /** Its place in the queue; the next one unless given. */
  readonly position?: string
  /** What follows `from`. */
  readonly from: string
}

/** The only insert into the queue. A task that stands there already keeps its place. */
export function insertQueue({ row, taskId = `${row}.id`, child, part, position, from }: QueueSource): string {
  return `insert into task_queue (task_id, run_id, project_id, queue, uses, priority, child, part${position ? ', position' : ''})${
    position ? '\n  overriding system value' : ''
  }
  select ${taskId}, ${row}.run_id, ${row}.project_id, ${row}.queue, ${row}.uses, ${row}.priority, ${child},
    ${part}${position ? `, ${position}` : ''}
  from ${from}
  on conflict (task_id) do nothing`
}

/** Puts the queued map items of the CTE `source` into the queue, as CTE `name`. `limited`, over rows `t`: they have limits. */
export const queueItems = (name: string, source: string, limited: string, where = 'true'): string => `${name} as (
  ${insertQueue({
    row: 't',
    child: 'true',
    part: `case when ${limited} then ${QueuePart.limited} else ${QueuePart.plain} end`,
    from: `${source} t where t.status = 'queued' and ${where} order by t.idx`,
  })}
)`
