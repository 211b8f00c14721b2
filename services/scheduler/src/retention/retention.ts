import type { Logger } from '@millrace/logger'
import type { Pool } from '@millrace/postgres'
import { advanceTombstones, deleteExpiredRuns, NO_PROJECT, tombstoneStages } from '../db/retention/delete-runs.js'
import { findGroups, type GroupPosition, type RunGroup } from '../db/retention/find-groups.js'
import { removeRemains } from '../db/retention/remove-remains.js'
import { Loop } from '../engine/loop.js'
import { type EmptyingOptions, emptyProjects } from './empty-projects.js'
import { retentionMetrics } from './metrics.js'
import { Slices } from './slices.js'

const GROUPS = 200
/** One event names them all. */
const RUNS = 200
const TASKS = 1000
/** While a deleted project still has runs. */
const AGAIN_MS = 1000

export interface RetentionOptions {
  pool: Pool
  logger: Logger
  /** Of runs of which neither workflow nor project says how long they are kept; 0 = for ever. */
  keepMs: number
  everyMs: number
  /** Events were written. */
  published: () => void
  cancel: EmptyingOptions['cancel']
}

/**
 * Deletes runs that ended longer ago than they are kept. First the run's row goes, with the event by which other services
 * learn of it; then, in further slices, its tasks. A crash leaves either a run that is whole or a note that the rest of it
 * is to be removed. Any number of replicas may do this at once.
 */
export class Retention extends Loop {
  private readonly slices: Slices
  private emptying = false

  constructor(private readonly options: RetentionOptions) {
    super({ name: 'retention', everyMs: options.everyMs, logger: options.logger })
    this.slices = new Slices(options.pool)
  }

  override stop(): Promise<void> {
    this.slices.stop()
    return super.stop()
  }

  protected override everyMs(): number {
    return this.emptying ? Math.min(AGAIN_MS, super.everyMs()) : super.everyMs()
  }

  protected override async turn(): Promise<void> {
    await this.removeRemains()
    let lagMs = 0
    let after: GroupPosition = { projectId: NO_PROJECT, workflow: '' }
    for (let full = true; full && !this.slices.stopped; ) {
      const from = after
      const groups = await this.slices.run((tx) => findGroups(tx, from, { limit: GROUPS, keepMs: this.options.keepMs }))
      for (const group of groups) lagMs = Math.max(lagMs, await this.expire(group))
      full = groups.length === GROUPS
      const last = groups.at(-1)
      if (last) after = { projectId: last.project_id, workflow: last.workflow }
    }
    retentionMetrics.lagSeconds.set(lagMs / 1000)
    this.emptying = await emptyProjects(this.options, this.slices)
    this.options.published()
  }

  /** Gives how far behind its time the oldest deleted run was. */
  private async expire(group: RunGroup): Promise<number> {
    const { project_id: projectId, workflow, keep_ms: keepMs, keep_runs: keepRuns } = group
    if (projectId === NO_PROJECT) return this.advance(workflow)
    // Of a deleted project whatever has ended goes: one millisecond is the shortest time.
    const expiry = group.project_deleted ? { keepMs: 1, keepRuns: 0 } : { keepMs, keepRuns }
    let lagMs = 0
    for (let full = true; full && !this.slices.stopped; ) {
      const deleted = await this.slices.run((tx) =>
        deleteExpiredRuns(tx, { projectId, workflow, ...expiry, limit: RUNS }),
      )
      if (deleted.length === 0) break
      this.options.published()
      retentionMetrics.deleted.inc({ what: 'runs' }, deleted.length)
      const [oldest] = deleted
      if (oldest && expiry.keepMs > 0) {
        lagMs = Math.max(lagMs, Date.now() - oldest.finished_at.getTime() - expiry.keepMs)
      }
      await this.removeRemains()
      full = deleted.length === RUNS
    }
    return lagMs
  }

  private async advance(workflow: string): Promise<number> {
    const stage = tombstoneStages.find((one) => one.workflow === workflow)
    for (let full = stage !== undefined; full && stage && !this.slices.stopped; ) {
      const advanced = await this.slices.run((tx) => advanceTombstones(tx, stage, RUNS))
      if (advanced > 0) this.options.published()
      full = advanced === RUNS
    }
    return 0
  }

  private async removeRemains(): Promise<void> {
    while (!this.slices.stopped) {
      const removed = await this.slices.run((tx) => removeRemains(tx, { runs: RUNS, tasks: TASKS }))
      if (removed === undefined) return
      retentionMetrics.deleted.inc({ what: 'tasks' }, removed.tasks)
    }
  }
}
