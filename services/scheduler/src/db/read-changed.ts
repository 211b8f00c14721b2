import type { Queryable } from '@millrace/postgres'
import { type RunView, runColumns, runSummaryColumns, type TaskView, taskColumns, taskSource } from './queries.js'

export async function runsById(client: Queryable, ids: readonly string[]): Promise<RunView[]> {
  if (ids.length === 0) return []
  const text = `select ${runColumns} from runs r where r.id = any($1::uuid[])`
  return (await client.query<RunView>({ name: 'runs-by-id', text, values: [ids] })).rows
}

/** Without input and output: the runs that changed tasks belong to. */
export async function runSummariesById(client: Queryable, ids: readonly string[]): Promise<Map<string, RunView>> {
  if (ids.length === 0) return new Map()
  const text = `select ${runSummaryColumns} from runs r where r.id = any($1::uuid[])`
  const { rows } = await client.query<RunView>({ name: 'run-summaries-by-id', text, values: [ids] })
  return new Map(rows.map((run) => [run.id, run]))
}

export async function tasksById(client: Queryable, ids: readonly string[]): Promise<TaskView[]> {
  if (ids.length === 0) return []
  const text = `select ${taskColumns}, false as output_omitted from ${taskSource}
    where t.id = any($1::uuid[]) order by t.run_id, t.ordinal, t.idx`
  return (await client.query<TaskView>({ name: 'tasks-by-id', text, values: [ids] })).rows
}
