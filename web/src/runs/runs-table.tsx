import { Link } from '@tanstack/react-router'
import type { RunSummary } from '../api/types'
import { useApi } from '../api/use-api'
import { CopyId } from '../ui/copy'
import { formatAbsolute, formatDuration } from '../ui/format'
import { Status } from '../ui/status'
import { Duration, Time, useNow } from '../ui/time'
import { ownLabels } from './run-labels'

interface RunsTableProps {
  runs: readonly RunSummary[]
  /** Absent: rows cannot be selected. */
  selected?: ReadonlySet<string>
  onToggle?: (id: string) => void
  onToggleAll?: () => void
  activeIndex?: number
}

export function RunsTable({ runs, selected, onToggle, onToggleAll, activeIndex = -1 }: RunsTableProps) {
  const { project } = useApi()
  return (
    <div className="table-scroll">
      <table className="table runs-table">
        <thead>
          <tr>
            {onToggle && (
              <th className="runs-check">
                <input
                  type="checkbox"
                  aria-label="Select all shown"
                  checked={selected !== undefined && runs.every(({ id }) => selected.has(id))}
                  onChange={() => onToggleAll?.()}
                />
              </th>
            )}
            <th>Status</th>
            <th>Workflow</th>
            <th>Run</th>
            <th className="grow">Details</th>
            <th className="number">Duration</th>
            <th className="number">Created</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run, index) => (
            <tr
              key={run.id}
              data-row={index}
              data-active={index === activeIndex}
              aria-selected={selected?.has(run.id) ?? false}
            >
              {onToggle && (
                <td className="runs-check">
                  <input
                    type="checkbox"
                    aria-label={`Select run ${run.id}`}
                    checked={selected?.has(run.id) ?? false}
                    onChange={() => onToggle(run.id)}
                  />
                </td>
              )}
              <td>
                <Status status={run.status} />
              </td>
              <td className="runs-workflow">
                <Link to="/p/$project/runs/$runId" params={{ project, runId: run.id }} title={run.workflow}>
                  {run.workflow}
                </Link>
                <span className="muted"> v{run.version}</span>
              </td>
              <td>
                <CopyId id={run.id} />
              </td>
              <td className="grow">
                <RunNote run={run} />
              </td>
              <td className="number">
                <Duration from={run.startedAt} to={run.finishedAt} />
              </td>
              <td className="number">
                <Time at={run.createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Of a run that was asked to begin later. */
function StartsAt({ run: { runAt, startedAt, finishedAt } }: { run: RunSummary }) {
  const now = useNow()
  if (!runAt || startedAt || finishedAt) return null
  const at = Date.parse(runAt)
  if (at <= now) return null
  return (
    <span className="muted" title={formatAbsolute(at)}>
      starts in {formatDuration(at - now)}
    </span>
  )
}

/** The one thing worth knowing about a run without opening it. */
function RunNote({ run }: { run: RunSummary }) {
  const labels = ownLabels(run.labels)
  const by = run.startedBy
  return (
    <span className="runs-note">
      {run.error && (
        <span className="tone-failed" title={run.error.message}>
          {run.error.class}: {run.error.message}
        </span>
      )}
      {!run.error && run.reason && run.reason !== run.status && (
        <span className="muted">{run.reason === 'held' ? 'on hold' : run.reason}</span>
      )}
      <StartsAt run={run} />
      {by?.type === 'schedule' && (
        <span className="tag" title={run.labels?.tick}>
          {by.name ?? 'schedule'}
        </span>
      )}
      {run.rerunOf && <span className="tag">rerun</span>}
      {run.parent && <span className="tag">child of {run.parent.task}</span>}
      {labels.map(([key, value]) => (
        <span key={key} className="tag" title={`${key}=${value}`}>
          {key}={value}
        </span>
      ))}
    </span>
  )
}
