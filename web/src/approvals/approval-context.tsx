import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Run, Task } from '../api/types'
import { useApi } from '../api/use-api'
import { runQuery, versionQuery } from '../run/run-queries'
import { ErrorNotice } from '../shell/error-notice'
import { plural } from '../ui/format'
import { Json } from '../ui/json'
import { Status } from '../ui/status'
import { upstreamOf } from './upstream'

/** What a decision rests on: the run's input, how the tasks before this one ended, and what they gave. */
export function ApprovalContext({ runId, taskKey }: { runId: string; taskKey: string }) {
  const api = useApi()
  const run = useQuery(runQuery(api, runId))
  if (run.isPending) return <div className="approval-wait skeleton" aria-busy="true" />
  if (!run.data) return <ErrorNotice error={run.error} onRetry={() => void run.refetch()} />
  return <Context run={run.data} taskKey={taskKey} />
}

function Context({ run, taskKey }: { run: Run; taskKey: string }) {
  const api = useApi()
  const version = useQuery(versionQuery(api, run.workflow, run.version))
  const before = useMemo(() => upstreamOf(taskKey, version.data?.graph, run.tasks), [taskKey, version.data, run.tasks])
  const outputs = before.filter(({ output }) => output !== null && output !== undefined)
  const hasInput = run.input !== null && run.input !== undefined && JSON.stringify(run.input) !== '{}'
  return (
    <div className="approval-context">
      {before.length > 0 && <Before run={run} tasks={before} />}
      {outputs.map((task, at) => (
        <Part key={task.key} title={`Output of ${task.key}`} value={task.output} wanted={at === 0} />
      ))}
      {hasInput && <Part title="Input of the run" value={run.input} wanted />}
      {!hasInput && before.length === 0 && (
        <p className="muted">The run was given no input, and no task comes before this one.</p>
      )}
    </div>
  )
}

/** More than these, and the buttons are off the screen. */
const shownTasks = 6

/** The nearest, and whatever failed however far away it is. */
function Before({ run, tasks }: { run: Run; tasks: readonly Task[] }) {
  const { project } = useApi()
  const shown = tasks.filter(({ status }, at) => at < shownTasks || status === 'failed')
  const failed = tasks.filter(({ status }) => status === 'failed').length
  return (
    <section aria-label="Tasks before it">
      <h3>
        Before it{' '}
        <span className={failed > 0 ? 'tone-failed' : 'muted'}>
          {failed > 0 ? `${failed} of ${plural(tasks.length, 'task')} failed` : plural(tasks.length, 'task')}
        </span>
      </h3>
      <ul className="approval-before">
        {shown.map(({ key, status, error }) => (
          <li key={key}>
            <Status status={status} />
            <Link to="/p/$project/runs/$runId" params={{ project, runId: run.id }} search={{ task: key }}>
              {key}
            </Link>
            {error && <span className="approval-error">{error.message}</span>}
          </li>
        ))}
      </ul>
      {shown.length < tasks.length && (
        <p className="muted">and {tasks.length - shown.length} earlier, none of which failed</p>
      )}
    </section>
  )
}

const shownLines = 16
const shownChars = 1_200
/** Of what is long. */
const begunLines = 6
const begunChars = 400

/** What is long shows its beginning, says how long it is, and is opened by who wants it. */
function Part({ title, value, wanted }: { title: string; value: Task['output']; wanted: boolean }) {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? '', [value])
  const lines = text.split('\n')
  const long = lines.length > shownLines || text.length > shownChars
  const [open, setOpen] = useState(wanted && !long)
  return (
    <div>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {title}
          {long && <span className="approval-size"> · show all {plural(lines.length, 'line')}</span>}
        </summary>
        <Json label={title} value={value} />
      </details>
      {long && wanted && !open && (
        <figure aria-label={`Beginning of ${title}`}>
          <pre className="json">{`${lines.slice(0, begunLines).join('\n').slice(0, begunChars)}\n…`}</pre>
        </figure>
      )}
    </div>
  )
}
