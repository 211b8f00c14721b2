import type { Queryable } from '@millrace/postgres'
import { QueuePart } from '../../domain/queue.js'

export interface Aligned {
  /** Tasks of limited queues that stood, or ran, as if there were no limit. */
  readonly moved: number
  readonly adopted: number
  /** Tasks that were parked under a limit that is another now. */
  readonly unparked: number
}

const limited = '(z.concurrency is not null or z.rate_limit is not null)'

/** Tasks that entered a queue before its limit was known where they came from. Until then no dequeue takes them. */
const moveText = `
with going as materialized (
  select q.task_id from queues z join task_queue q on q.project_id = z.project_id and q.queue = z.name
  where ${limited} and q.part = ${QueuePart.plain}
  limit $1 for update of q skip locked
)
update task_queue q set part = ${QueuePart.limited} from going g where q.task_id = g.task_id`

/**
 * Tasks that ran before their queue had a limit take a slot now, whether one is free or not: what runs counts. A report
 * that comes meanwhile waits for the lock on the task, finds a slot held and gives it back.
 */
const adoptText = `
with missing as materialized (
  select t.id, t.project_id, t.queue
  from queues z join sessions s on s.state <> 'ended' and (s.project_id is null or s.project_id = z.project_id)
    join tasks t on t.session_id = s.id and t.status = 'running' and t.project_id = z.project_id and t.queue = z.name
  where z.concurrency is not null
    and not exists (select 1 from slot_holds h where h.task_id = t.id and h.scope = 'queue')
  limit $1 for update of t skip locked
),
held as (
  insert into slot_holds (task_id, project_id, scope, key) select m.id, m.project_id, 'queue', m.queue from missing m
  on conflict do nothing returning project_id, scope, key
),
marked as (update tasks t set holds_slots = true from missing m where t.id = m.id),
used as (
  insert into slots (project_id, scope, key, in_use)
  select h.project_id, h.scope, h.key, count(*)::int from held h group by 1, 2, 3 order by 1, 2, 3
  on conflict (project_id, scope, key) do update set in_use = slots.in_use + excluded.in_use
)
select 1 from held`

/** Each is judged anew by the limit of now. Only what changed lately, unless all is asked for. */
const unparkText = `
with going as materialized (
  select q.task_id from queues z join task_queue q on q.project_id = z.project_id and q.parked_key = z.name
    and q.parked_scope in ('queue', 'queue_rate')
  where ($2::boolean or z.updated_at > clock_timestamp() - interval '1 minute')
    and case q.parked_scope when 'queue' then z.concurrency is distinct from q.parked_limit
      else z.rate_limit is distinct from q.parked_limit or z.rate_per_ms::float8 is distinct from q.parked_per_ms end
  limit $1 for update of q skip locked
)
update task_queue q set part = ${QueuePart.limited}, parked_scope = null, parked_key = null, parked_limit = null,
  parked_per_ms = null
from going g where q.task_id = g.task_id`

/** Brings what stands and runs in line with the limits of its queue, in slices. */
export async function alignQueues(client: Queryable, all: boolean, limit: number): Promise<Aligned> {
  const moved = await client.query({ name: 'align-move', text: moveText, values: [limit] })
  const adopted = await client.query({ name: 'align-adopt', text: adoptText, values: [limit] })
  const unparked = await client.query({ name: 'align-unpark', text: unparkText, values: [limit, all] })
  return { moved: moved.rowCount ?? 0, adopted: adopted.rowCount ?? 0, unparked: unparked.rowCount ?? 0 }
}
