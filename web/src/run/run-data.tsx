import type { Run } from '../api/types'
import { Json } from '../ui/json'

export function RunData({ run }: { run: Run }) {
  return (
    <div className="run-data">
      <section>
        <h2>Input</h2>
        <Json label="Input" value={run.input ?? null} />
      </section>
      <section>
        <h2>Output</h2>
        {run.output === null || run.output === undefined ? (
          <p className="muted">{run.finishedAt ? 'The run has no output.' : 'There is none before the run ends.'}</p>
        ) : (
          <Json label="Output" value={run.output} />
        )}
      </section>
    </div>
  )
}
