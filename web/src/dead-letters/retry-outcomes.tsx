import type { DeadLetter } from '../api/types'
import { Button } from '../ui/button'
import { plural } from '../ui/format'
import type { Outcome } from './dead-letter-queries'
import { RunState } from './run-state'

export interface RetryResult {
  /** Of how many dead letters; those that were not on screen are counted alone. */
  count: number
  retried: readonly DeadLetter[]
  refused: readonly string[]
}

/** What became of them, as far as they were on screen. */
export function resultOf(loaded: readonly DeadLetter[], outcomes: readonly Outcome[]): RetryResult {
  const done = new Set(outcomes.filter(({ outcome }) => outcome === 'retried').map(({ id }) => id))
  const refused = outcomes.flatMap(({ outcome, error }) =>
    outcome === 'failed' ? [error?.message ?? 'Refused without a reason.'] : [],
  )
  return { count: done.size, retried: loaded.filter(({ id }) => done.has(id)), refused }
}

const shownRuns = 8

/** Where they went: the runs that go on, and why the others were refused. */
export function RetryOutcomes({ result, onClose }: { result: RetryResult; onClose: () => void }) {
  const { count, retried, refused } = result
  const runs = [...new Map(retried.map((each) => [each.runId, each])).values()]
  return (
    <section className="card dead-letter-outcomes" aria-label="Where they went">
      <div className="card-head">
        <h2>
          {plural(count, 'dead letter')} retried{refused.length > 0 && `, ${refused.length} refused`}
        </h2>
        <Button look="quiet" icon="close" aria-label="Close the result" onClick={onClose} />
      </div>
      <div className="card-body dead-letter-stack">
        {runs.length > 0 && <p className="muted">The tasks run again in their own runs:</p>}
        <ul className="dead-letter-stack">
          {runs.slice(0, shownRuns).map(({ runId, workflow, taskKey }) => (
            <li key={runId}>
              <RunState runId={runId} workflow={workflow} taskKey={taskKey} />
            </li>
          ))}
        </ul>
        {runs.length > shownRuns && <p className="muted">and {plural(runs.length - shownRuns, 'further run')}.</p>}
        {count > retried.length && (
          <p className="muted">and {plural(count - retried.length, 'dead letter')} that were not loaded here.</p>
        )}
        {[...new Set(refused)].map((reason) => (
          <div key={reason} className="banner banner-danger">
            {reason}
          </div>
        ))}
      </div>
    </section>
  )
}
