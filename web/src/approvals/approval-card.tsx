import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import type { Approval } from '../api/types'
import { useApi } from '../api/use-api'
import { Decide } from '../run/decide'
import { StartedBy } from '../run/started-by'
import { CopyId } from '../ui/copy'
import { Icon } from '../ui/icons'
import { StatusIcon } from '../ui/status'
import { Time } from '../ui/time'
import { ApprovalContext } from './approval-context'
import { type ApprovalList, approvalId, approvalsKey, decided } from './approval-queries'

interface ApprovalCardProps {
  approval: Approval
  index: number
  active: boolean
  open: boolean
  onToggle: () => void
}

export function ApprovalCard({ approval, index, active, open, onToggle }: ApprovalCardProps) {
  const { run, task, message, role } = approval
  const body = useId()
  const waits = task.status === 'waiting'
  return (
    <li className="card approval" data-row={index} data-active={active}>
      <button type="button" className="approval-head" aria-expanded={open} aria-controls={body} onClick={onToggle}>
        <StatusIcon status={waits ? 'waiting' : 'succeeded'} />
        <span className="approval-title">
          <strong className="approval-message">{message || `Approve ${task.key}?`}</strong>
          <span className="muted">
            {run.workflow} · {task.key} · {waits ? 'waiting' : 'decided'}, run created <Time at={run.createdAt} />
          </span>
        </span>
        <span className={open ? 'approval-turned' : undefined}>
          <Icon name="right" />
        </span>
      </button>
      {open && (
        <div className="approval-body" id={body} hidden={!waits}>
          <ApprovalFacts approval={approval} />
          <ApprovalContext runId={run.id} taskKey={task.key} />
          <Decide
            runId={run.id}
            taskKey={task.key}
            role={role}
            optimistic={{
              queryKey: approvalsKey,
              update: (old: ApprovalList) => decided(old, approvalId(approval)),
            }}
          />
          <p className="muted approval-role">
            The task lets the role {role} decide. Rejecting fails the task with the class rejected.
          </p>
        </div>
      )}
    </li>
  )
}

function ApprovalFacts({ approval: { run, task } }: { approval: Approval }) {
  const { project } = useApi()
  const { startedBy } = run
  return (
    <dl className="facts">
      <dt>Run</dt>
      <dd>
        <Link
          to="/p/$project/runs/$runId"
          params={{ project, runId: run.id }}
          search={{ task: task.key }}
          aria-label={`Open the run of ${run.workflow}`}
        >
          {run.workflow}
        </Link>{' '}
        <span className="muted">version {run.version}</span> <CopyId id={run.id} />
      </dd>
      {startedBy && (
        <>
          <dt>Started by</dt>
          <dd>
            <StartedBy by={startedBy} />
          </dd>
        </>
      )}
      {Object.keys(run.labels).length > 0 && (
        <>
          <dt>Labels</dt>
          <dd className="approval-labels">
            {Object.entries(run.labels).map(([key, value]) => (
              <span key={key} className="tag">
                {key}={value}
              </span>
            ))}
          </dd>
        </>
      )}
    </dl>
  )
}
