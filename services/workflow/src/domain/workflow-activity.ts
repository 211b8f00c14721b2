export interface EndedRun {
  id: string
  status: string
  createdAt: string
  /** Empty: it never started. */
  startedAt: string
  finishedAt: string
}

const durationMs = ({ startedAt, finishedAt }: EndedRun): number | null =>
  startedAt === '' ? null : Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt))

/** What a list of workflows says of the runs of one, newest end first. */
export function summariseRuns(ended: readonly EndedRun[]) {
  const [last] = ended
  return {
    last: last && { id: last.id, status: last.status, createdAt: last.createdAt, finishedAt: last.finishedAt },
    p95: durationP95(ended),
    runs: ended.map((run) => ({ status: run.status, durationMs: durationMs(run) })),
  }
}

/** Nearest rank. When a run was cancelled says nothing of how long it takes. */
function durationP95(ended: readonly EndedRun[]): number | null {
  const took = ended
    .filter(({ status }) => status !== 'cancelled')
    .flatMap((run) => durationMs(run) ?? [])
    .toSorted((a, b) => a - b)
  return took[Math.ceil(took.length * 0.95) - 1] ?? null
}
