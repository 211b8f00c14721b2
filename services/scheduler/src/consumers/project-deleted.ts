import type { EventOf } from '@millrace/events'
import type { Pool } from '@millrace/postgres'
import { noteDeletedProject } from '../db/retention/projects.js'

export function onProjectDeleted(pool: Pool, poke: () => void) {
  return async (events: EventOf<'project.deleted'>[]): Promise<void> => {
    for (const { data } of events) await noteDeletedProject(pool, data.projectId)
    poke()
  }
}
