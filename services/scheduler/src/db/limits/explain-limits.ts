import type { Queryable } from '@millrace/postgres'
import { firstLack } from '../../domain/limits/admit-tasks.js'
import { emptyWindow, type RateWindow } from '../../domain/limits/rate-window.js'
import { emptySlot, type Lack, type Slot, slotName, type TaskLimit } from '../../domain/limits/task-limits.js'
import { QueuePart } from '../../domain/queue.js'

const MAX_TASKS = 500

/** What the ready tasks of a run lack, by the same judgement that leases them. */
export async function lacksOfRun(
  client: Queryable,
  runId: string,
  limitsOfQueue: (queue: string) => readonly TaskLimit[],
): Promise<Map<string, Lack>> {
  const tasks = await client.query<{ task_id: string; project_id: string; queue: string; limits: TaskLimit[] | null }>({
    name: 'limited-of-run',
    text: `select q.task_id, q.project_id, q.queue, l.limits from task_queue q left join task_limits l on l.task_id = q.task_id
      where q.run_id = $1 and q.part <> ${QueuePart.plain} limit ${MAX_TASKS}`,
    values: [runId],
  })
  const wanted = tasks.rows.map((row) => ({ ...row, all: [...(row.limits ?? []), ...limitsOfQueue(row.queue)] }))
  if (wanted.length === 0) return new Map()
  const { slots, nowMs } = await readSlots(
    client,
    wanted[0]?.project_id ?? '',
    wanted.flatMap(({ all }) => all),
  )
  const lacks = new Map<string, Lack>()
  for (const { task_id: taskId, project_id: projectId, all } of wanted) {
    const lack = firstLack(all, (limit) => slots.get(slotName(projectId, limit)) ?? emptySlot, nowMs)
    if (lack) lacks.set(taskId, lack)
  }
  return lacks
}

interface SlotRow {
  now_ms: number
  scope: string | null
  key: string | null
  in_use: number
  starts: RateWindow | null
}

async function readSlots(client: Queryable, projectId: string, limits: readonly TaskLimit[]) {
  const result = await client.query<SlotRow>({
    name: 'read-slots',
    text: `
select c.now_ms, s.scope, s.key, s.in_use, s.starts
from (select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms) c
left join (
  select s.* from slots s join unnest($2::text[], $3::text[]) as k(scope, key) on s.scope = k.scope and s.key = k.key
  where s.project_id = $1
) s on true`,
    values: [projectId, limits.map(({ scope }) => scope), limits.map(({ key }) => key)],
  })
  const slots = new Map<string, Slot>()
  for (const { scope, key, in_use: inUse, starts } of result.rows) {
    if (scope !== null && key !== null)
      slots.set(slotName(projectId, { scope, key }), { inUse, window: starts ?? emptyWindow })
  }
  return { slots, nowMs: result.rows[0]?.now_ms ?? 0 }
}

export interface AdmissionPlace {
  key: string
  limit: number
  inUse: number
}

/** Where a run stands that waits for its workflow's limit. */
export async function admissionPlace(client: Queryable, runId: string): Promise<AdmissionPlace | undefined> {
  const result = await client.query<AdmissionPlace>({
    name: 'place-in-admission-queue',
    text: `
select a.key, a.run_limit as "limit", coalesce(s.in_use, 0) as "inUse"
from run_admissions a left join slots s on s.project_id = a.project_id and s.scope = 'workflow' and s.key = a.key
where a.run_id = $1 and a.state = 'waiting'`,
    values: [runId],
  })
  return result.rows[0]
}
