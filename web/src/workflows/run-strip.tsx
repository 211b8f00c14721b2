import type { RunSummary } from '../api/types'
import { plural } from '../ui/format'
import { toneOf } from '../ui/status'

const shown = 30

/** The last runs, oldest first: height is how long each took, against the longest of them. */
export function RunStrip({ runs }: { runs: readonly RunSummary[] }) {
  const last = runs.slice(0, shown).toReversed()
  const took = (run: RunSummary) =>
    run.startedAt && run.finishedAt ? Date.parse(run.finishedAt) - Date.parse(run.startedAt) : 0
  const longest = Math.max(1, ...last.map(took))
  const failed = last.filter(({ status }) => status === 'failed').length
  return (
    <span className="strip" role="img" aria-label={`${plural(last.length, 'recent run')}, ${failed} failed`}>
      {last.map((run) => (
        <span
          key={run.id}
          className={`strip-bar bar-${toneOf(run.status)}`}
          data-status={run.status}
          title={run.status}
          style={{ height: `${25 + 75 * Math.sqrt(took(run) / longest)}%` }}
        />
      ))}
    </span>
  )
}
