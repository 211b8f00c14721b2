import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { hasRunEnded, type Run } from '../api/types'
import { useApi } from '../api/use-api'
import { ownLabels } from '../runs/run-labels'
import { CopyId } from '../ui/copy'
import { formatDuration, shortId } from '../ui/format'
import { Icon } from '../ui/icons'
import { Time, useNow } from '../ui/time'
import { lateMs } from './lateness'
import { explainQuery, reasonsOf } from './run-queries'
import { StartedBy } from './started-by'

export function RunFacts({ run }: { run: Run }) {
  const { project } = useApi()
  const { traceId, runAt, startedBy } = run
  const link = (runId: string, text: ReactNode) => (
    <Link to="/p/$project/runs/$runId" params={{ project, runId }}>
      {text}
    </Link>
  )
  return (
    <>
      {run.error && (
        <div className="banner banner-danger">
          <strong>{run.error.task ? `${run.error.task}: ${run.error.class}` : run.error.class}</strong>
          <span className="run-error">{run.error.message}</span>
        </div>
      )}
      <WhyWaiting run={run} />
      <ul className="run-facts">
        <li>
          <span className="muted">Version</span> {run.version}
        </li>
        <li>
          <span className="muted">Priority</span> {run.priority}
        </li>
        {run.expectedDuration && (
          <li>
            <span className="muted">Expected within</span> {run.expectedDuration} <Late run={run} />
          </li>
        )}
        {startedBy && (
          <li>
            <span className="muted">Started by</span> <StartedBy by={startedBy} />
          </li>
        )}
        {runAt && !run.startedAt && (
          <li>
            <span className="muted">Starts</span> <Time at={runAt} />
          </li>
        )}
        {run.parent && <li>{link(run.parent.runId, `Child of ${run.parent.task} in ${shortId(run.parent.runId)}`)}</li>}
        {run.rerunOf && (
          <li>
            {link(
              run.rerunOf.runId,
              `Rerun of ${shortId(run.rerunOf.runId)}${run.rerunOf.from ? ` from ${run.rerunOf.from}` : ''}`,
            )}
          </li>
        )}
        {traceId && (
          <li>
            <span className="muted">Trace</span> <CopyId id={traceId} />
          </li>
        )}
        {run.reason && (
          <li>
            <span className="muted">Reason</span> {run.reason}
          </li>
        )}
        {ownLabels(run.labels).map(([key, value]) => (
          <li key={key}>
            <span className="tag">
              {key}={value}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

function Late({ run }: { run: Run }) {
  const over = lateMs(run, useNow())
  if (over === undefined) return null
  return (
    <span className="tag tag-warn">
      <Icon name="warning" size={12} /> late by {formatDuration(over)}
    </span>
  )
}

/** A run that stands still says why, without being asked. */
function WhyWaiting({ run }: { run: Run }) {
  const api = useApi()
  const still = !hasRunEnded(run.status) && !run.tasks.some(({ status }) => status === 'running')
  const explain = useQuery({ ...explainQuery(api, run.id), enabled: still, refetchInterval: still ? 5_000 : false })
  if (!still || !explain.data) return null
  const told = reasonsOf(explain.data)
  if (told.length === 0) return null
  return (
    <div className="banner banner-warn">
      <strong>Waiting</strong>
      <span>{told.slice(0, 3).join(' · ')}</span>
      {told.length > 3 && <span className="muted">and {told.length - 3} more</span>}
    </div>
  )
}
