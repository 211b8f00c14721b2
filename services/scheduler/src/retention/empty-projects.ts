import { crashPoint } from '@millrace/crash-point'
import type { Logger } from '@millrace/logger'
import type { Pool } from '@millrace/postgres'
import {
  deleteSchedules,
  emptyProject,
  findOpenRuns,
  findUnemptied,
  forgetDeletedProjects,
} from '../db/retention/projects.js'
import type { Slices } from './slices.js'

const PROJECTS = 20
const CANCELS = 100
const AT_ONCE = 10

export interface EmptyingOptions {
  pool: Pool
  logger: Logger
  cancel: (runId: string, reason: string) => Promise<unknown>
}

/**
 * A deleted project: its runs are cancelled like any run, so that workers stop; what has ended is deleted by retention;
 * when no run is left, the rest goes, and the definitions may go. Answers whether something is still under way.
 */
export async function emptyProjects(options: EmptyingOptions, slices: Slices): Promise<boolean> {
  const projects = await findUnemptied(options.pool, PROJECTS)
  let underWay = projects.length === PROJECTS
  for (const projectId of projects) {
    if (slices.stopped) return underWay
    await deleteSchedules(options.pool, projectId)
    await cancelRuns(options, projectId)
    crashPoint('scheduler.deletion.cancelled')
    if (!(await slices.run((tx) => emptyProject(tx, projectId)))) underWay = true
  }
  await forgetDeletedProjects(options.pool)
  return underWay
}

async function cancelRuns({ pool, logger, cancel }: EmptyingOptions, projectId: string): Promise<void> {
  const open = await findOpenRuns(pool, projectId, CANCELS)
  for (let at = 0; at < open.length; at += AT_ONCE) {
    const results = await Promise.allSettled(open.slice(at, at + AT_ONCE).map((id) => cancel(id, 'project deleted')))
    for (const result of results) {
      if (result.status === 'rejected') {
        logger.warn({ err: result.reason, projectId }, 'a run of a deleted project will be cancelled later')
      }
    }
  }
}
