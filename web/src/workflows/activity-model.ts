import type { RunSummary, Schedule } from '../api/types'

/** Nearest rank, over runs that succeeded or failed. */
export function durationP95(
  runs: readonly Pick<RunSummary, 'startedAt' | 'finishedAt' | 'status'>[],
): number | undefined {
  const took = runs
    .flatMap(({ status, startedAt, finishedAt }) =>
      status !== 'cancelled' && startedAt && finishedAt ? [Date.parse(finishedAt) - Date.parse(startedAt)] : [],
    )
    .toSorted((a, b) => a - b)
  return took[Math.ceil(took.length * 0.95) - 1]
}

/** When each workflow comes due next by any of its schedules. */
export function soonest(schedules: readonly Pick<Schedule, 'workflow' | 'nextAt'>[]): ReadonlyMap<string, string> {
  const next = new Map<string, string>()
  for (const { workflow, nextAt } of schedules) {
    const known = next.get(workflow)
    if (nextAt && (known === undefined || Date.parse(nextAt) < Date.parse(known))) next.set(workflow, nextAt)
  }
  return next
}
