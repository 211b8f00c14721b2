/** A run that waits for its workflow's limit, or is under way. */
export interface AdmissionRow {
  readonly runId: string
  /** Grows with the time that it waits. */
  readonly id: number
  readonly limit: number
  readonly onLimit: 'queue' | 'cancel-new' | 'cancel-oldest'
}

export interface AdmissionQueue {
  /** Who may go next, first come first. */
  readonly waiting: readonly AdmissionRow[]
  /** Under way and not asked to make room, oldest first; perhaps not all of them. */
  readonly live: readonly AdmissionRow[]
  readonly liveTotal: number
  /** With those that were asked to make room and have not ended yet. */
  readonly inUse: number
}

export interface AdmissionDecision {
  readonly admitted: readonly AdmissionRow[]
  /** Cancelled without having begun. */
  readonly refused: readonly AdmissionRow[]
  /** Under way, and to be cancelled. */
  readonly leaving: readonly AdmissionRow[]
}

/**
 * Who of one key's admission queue may begin. Each run goes by its own limit. With `cancel-oldest` the newest survive: whoever is
 * older than as many as the limit has makes room, whether it has begun or not, and its place is taken when it has ended.
 */
export function admitRuns(queue: AdmissionQueue): AdmissionDecision {
  const { waiting, leaving, dropped } = makeRoom(queue)
  const admitted: AdmissionRow[] = []
  const refused = [...dropped]
  for (const row of waiting) {
    if (queue.inUse + admitted.length < row.limit) admitted.push(row)
    else if (row.onLimit === 'cancel-new') refused.push(row)
  }
  return { admitted, refused, leaving }
}

function makeRoom({ waiting, live, liveTotal }: AdmissionQueue): {
  waiting: readonly AdmissionRow[]
  leaving: readonly AdmissionRow[]
  dropped: readonly AdmissionRow[]
} {
  const pushing = waiting.filter(({ onLimit }) => onLimit === 'cancel-oldest').sort((a, b) => a.id - b.id)
  const newest = pushing.at(-1)
  if (!newest) return { waiting, leaving: [], dropped: [] }
  const excess = Math.max(0, liveTotal + pushing.length - newest.limit)
  const byAge = [...live, ...pushing].sort((a, b) => a.id - b.id)
  const going = new Set(byAge.filter((row) => row !== newest).slice(0, excess))
  return {
    waiting: waiting.filter((row) => !going.has(row)),
    leaving: live.filter((row) => going.has(row)),
    dropped: pushing.filter((row) => going.has(row)),
  }
}
