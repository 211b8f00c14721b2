import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Run, Task } from '../api/types'
import { useApi } from '../api/use-api'
import { runQuery, versionQuery } from '../run/run-queries'
import { ErrorNotice } from '../shell/error-notice'
import { Json } from '../ui/json'
import { upstreamOf } from './upstream'

/** What a decision rests on: the run's input, and what the tasks before this one gave. */
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
  const hasInput = run.input !== null && run.input !== undefined && JSON.stringify(run.input) !== '{}'
  return (
    <div className="approval-context">
      {hasInput && <Part title="Input of the run" value={run.input} open />}
      {before.map((task) => (
        <Part key={task.key} title={`Output of ${task.key}`} value={task.output} open={before.length === 1} />
      ))}
      {!hasInput && before.length === 0 && (
        <p className="muted">The run was given no input, and no task before this one has an output.</p>
      )}
    </div>
  )
}

/** What is longer is opened by hand: on a phone it would push the buttons off the screen. */
const shortChars = 1_200

function Part({ title, value, open }: { title: string; value: Task['output']; open?: boolean }) {
  const short = useMemo(() => (JSON.stringify(value) ?? '').length < shortChars, [value])
  return (
    <details open={open === true && short}>
      <summary>{title}</summary>
      <Json label={title} value={value} />
    </details>
  )
}
