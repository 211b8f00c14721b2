/// <reference lib="es2024.string" />
import type { scheduler } from '@millrace/contracts'
import { validate as isUuid } from 'uuid'
import type { ProgressStore, ReportedProgress } from '../db/task-progress.js'

const MAX_MESSAGE = 500
/** Rows come only from reports, so it is enough to sweep now and then after one. */
const SWEEP_EVERY = 20

/**
 * What heartbeats say of how far attempts are. It rides on heartbeats and is written on connections whose commits wait for no
 * flush: however often a worker reports, it costs at most one statement a heartbeat, beside the engine's.
 */
export class ProgressReports {
  private sinceSweep = 0

  constructor(
    private readonly store: ProgressStore,
    private readonly changed: (runIds: readonly string[]) => void,
  ) {}

  async record(sessionId: string, held: readonly scheduler.HeldLease__Output[]): Promise<void> {
    const reported = held.flatMap(readProgress)
    if (reported.length === 0) return
    const runIds = await this.store.record(sessionId, reported)
    if (runIds.length > 0) this.changed(runIds)
    this.sinceSweep += 1
    if (this.sinceSweep < SWEEP_EVERY) return
    this.sinceSweep = 0
    await this.store.sweep()
  }
}

function readProgress({ leaseId, progress }: scheduler.HeldLease__Output): ReportedProgress[] {
  if (!progress || !isUuid(leaseId)) return []
  const { percent, _percent, message } = progress
  const known = _percent !== undefined && percent !== undefined && Number.isFinite(percent)
  return [
    {
      leaseId,
      percent: known ? Math.min(100, Math.max(0, percent)) : null,
      message: message.slice(0, MAX_MESSAGE).toWellFormed().replaceAll('\0', '\ufffd'),
    },
  ]
}
