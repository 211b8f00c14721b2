import type { DeadLetter } from '../api/types'
import { Button } from '../ui/button'
import { plural } from '../ui/format'
import { RunState } from './run-state'

export interface RetryResult {
  retried: readonly DeadLetter[]
  refused: readonly string[]
}

const shownRuns = 8

/** Where they went: the runs that go on, and why the others were refused. */
export function RetryOutcomes({ result, onClose }: { result: RetryResult; onClose: () => void }) {
  const { retried, refused } = result
  const runs = [...new Map(retried.map((each) => [each.runId, each])).values()]
  return (
    <section className="card dead-letter-outcomes" aria-label="Where they went">
      <div className="card-head">
        <h2>
          {plural(retried.length, 'dead letter')} retried{refused.length > 0 && `, ${refused.length} refused`}
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
        {[...new Set(refused)].map((reason) => (
          <div key={reason} className="banner banner-danger">
            {reason}
          </div>
        ))}
      </div>
    </section>
  )
}
