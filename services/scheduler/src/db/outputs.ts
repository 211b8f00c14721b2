import type { Queryable } from '@millrace/postgres'
import type { OutputArtifact } from '../domain/large-output.js'
import type { OutputStore } from '../engine/outputs.js'
import type { LeaseRow } from './load-runs.js'

/** Whose output it is. */
export interface OutputOwner extends LeaseRow {
  project_id: string
  run_id: string
  key: string
}

export async function findOutputOwner(client: Queryable, taskId: string): Promise<OutputOwner | undefined> {
  const result = await client.query<OutputOwner>({
    name: 'find-output-owner',
    text: 'select id, status, token, lease_id, session_id, project_id, run_id, key from tasks where id = $1',
    values: [taskId],
  })
  return result.rows[0]
}

/** An output that is to be an artifact, and lies in the database still. */
export interface UnmovedOutput {
  /** A task, or the run itself. */
  owner_id: string
  run_id: string
  project_id: string
  /** Null for the run's own output. */
  key: string | null
  artifact_id: string
  /** JSON text. */
  output: string
}

/** A map's items are not among them: the map's own output is made of theirs, so their texts stay. */
export async function findUnmovedOutputs(client: Queryable, limit: number): Promise<UnmovedOutput[]> {
  const result = await client.query<UnmovedOutput>({
    name: 'find-unmoved-outputs',
    text: `
select p.task_id as owner_id, coalesce(t.run_id, r.id) as run_id, coalesce(t.project_id, r.project_id) as project_id, t.key,
  p.artifact_id, p.output::text as output
from task_payloads p left join tasks t on t.id = p.task_id left join runs r on r.id = p.task_id
where p.artifact_id is not null and p.output is not null and coalesce(t.idx, -1) < 0 and coalesce(t.run_id, r.id) is not null
limit $1`,
    values: [limit],
  })
  return result.rows
}

export async function markOutputMoved(client: Queryable, ownerId: string, artifactId: string): Promise<void> {
  await client.query({
    name: 'mark-output-moved',
    text: 'update task_payloads set output = null where task_id = $1 and artifact_id = $2',
    values: [ownerId, artifactId],
  })
}

/** Shows the output of a map item as the artifact that holds it. */
export async function linkChildOutput(client: Queryable, taskId: string, { id, size }: OutputArtifact): Promise<void> {
  await client.query({
    name: 'link-child-output',
    text: `update task_payloads set artifact_id = $2, artifact_size = $3 where task_id = $1 and output is not null`,
    values: [taskId, id, size],
  })
}

export const createOutputStore = (pool: Queryable): OutputStore => ({
  findOutputOwner: (taskId) => findOutputOwner(pool, taskId),
  findUnmovedOutputs: (limit) => findUnmovedOutputs(pool, limit),
  markOutputMoved: (ownerId, artifactId) => markOutputMoved(pool, ownerId, artifactId),
  linkChildOutput: (taskId, artifact) => linkChildOutput(pool, taskId, artifact),
})
