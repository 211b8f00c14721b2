import { parseDuration } from '@millrace/definition/duration'
import type { Run } from '../api/types'

type Timed = Pick<Run, 'createdAt' | 'startedAt' | 'finishedAt' | 'runAt' | 'expectedDuration'>

/** By how much a run is, or was, over what its definition expects; undefined while it is not. As `run.late` counts it. */
export function lateMs(run: Timed, now: number): number | undefined {
  const expectedMs = parseDuration(run.expectedDuration ?? '')
  if (expectedMs === undefined) return undefined
  const from = Date.parse(run.startedAt ?? run.runAt ?? run.createdAt)
  const over = (run.finishedAt ? Date.parse(run.finishedAt) : now) - from - expectedMs
  return over > 0 ? over : undefined
}
