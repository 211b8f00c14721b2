import type { Queryable } from '@millrace/postgres'
import type { Artifact } from '../domain/artifact.js'
import { artifactColumns } from './artifact-row.js'

export interface ArtifactFilter {
  projectId: string
  runId: string | undefined
  task: string | undefined
  name: string | undefined
  beforeId: string | undefined
  limit: number
}

export async function listArtifacts(db: Queryable, filter: ArtifactFilter): Promise<Artifact[]> {
  const { rows } = await db.query<Artifact>(
    `select ${artifactColumns} from artifacts
    where project_id = $1
      and ($2::uuid is null or run_id = $2)
      and ($3::text is null or task = $3)
      and ($4::text is null or name = $4)
      and ($5::uuid is null or id < $5)
    order by id desc limit $6`,
    [filter.projectId, filter.runId, filter.task, filter.name, filter.beforeId, filter.limit],
  )
  return rows
}
