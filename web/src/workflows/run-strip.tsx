import { plural } from '../ui/format'
import { toneOf } from '../ui/status'

export interface StripRun {
  status: string
  durationMs: number | null
}

/** How long a run took, as far as it ran at all. */
export const stripRunOf = (run: { status: string; startedAt: string | null; finishedAt: string | null }): StripRun => ({
  status: run.status,
  durationMs: run.startedAt && run.finishedAt ? Date.parse(run.finishedAt) - Date.parse(run.startedAt) : null,
})

/** Runs as they are listed, newest first, drawn oldest first: height is how long each took, against the longest of them. */
export function RunStrip({ runs }: { runs: readonly StripRun[] }) {
  const longest = Math.max(1, ...runs.map(({ durationMs }) => durationMs ?? 0))
  const failed = runs.filter(({ status }) => status === 'failed').length
  return (
    <span className="strip" role="img" aria-label={`${plural(runs.length, 'recent run')}, ${failed} failed`}>
      {runs.toReversed().map(({ status, durationMs }, place) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in the strip
          key={place}
          className={`strip-bar bar-${toneOf(status)}`}
          data-status={status}
          title={status}
          style={{ height: `${25 + 75 * Math.sqrt((durationMs ?? 0) / longest)}%` }}
        />
      ))}
    </span>
  )
}
