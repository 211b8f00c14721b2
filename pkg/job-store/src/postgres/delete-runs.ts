import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '@millrace/postgres'

const SLICE = 2_000
const RUNS = 200

/** What a follower reads first goes last, so that nothing is shown of which half is gone. */
const statements = [
  `delete from jobs where ctid = any (array(select ctid from jobs where run_id = any($1::uuid[]) limit ${SLICE}))`,
  `delete from runs where ctid = any (array(select ctid from runs where id = any($1::uuid[]) limit ${SLICE}))`,
  `delete from artifacts where ctid = any (array(select ctid from artifacts where run_id = any($1::uuid[]) limit ${SLICE}))`,
  `delete from logs where ctid = any (array(select ctid from logs where run_id = any($1::uuid[]) limit ${SLICE}))`,
]

/** Between two slices it rests as long as the last one took: writers of documents and logs have the disk meanwhile. */
export async function deleteRuns(pool: Pool, runIds: readonly string[]): Promise<void> {
  for (const statement of statements) {
    for (let full = true; full; ) {
      const began = performance.now()
      const { rowCount } = await pool.query(statement, [runIds])
      full = rowCount === SLICE
      if (full) await delay(performance.now() - began)
    }
  }
}

const runsOfProject = `
select id from (
  (select id from runs where project_id = $1 limit ${RUNS})
  union (select run_id from jobs where project_id = $1 limit ${RUNS})
) known limit ${RUNS}`

/** By way of its runs: lines have no index of projects, and every line belongs to a run. */
export async function deleteProject(pool: Pool, projectId: string): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ id: string }>(runsOfProject, [projectId])
    if (rows.length === 0) return
    await deleteRuns(
      pool,
      rows.map(({ id }) => id),
    )
  }
}
