import type { Queryable } from '@millrace/postgres'

/** Large outputs of these runs, strictly after the given one. */
export async function listOutputs(
  db: Queryable,
  runIds: readonly string[],
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from artifacts where run_id = any($1::uuid[]) and created_by = 'service:scheduler' and id > $2
     order by id limit $3`,
    [runIds, after, limit],
  )
  return rows.map((row) => row.id)
}

/** To the runs that refer to them. */
export async function moveArtifacts(db: Queryable, moves: ReadonlyMap<string, string>): Promise<void> {
  if (moves.size === 0) return
  await db.query(
    `update artifacts a set run_id = m.run_id from unnest($1::uuid[], $2::uuid[]) as m (id, run_id) where a.id = m.id`,
    [[...moves.keys()], [...moves.values()]],
  )
}
