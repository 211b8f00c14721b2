import { useQuery } from '@tanstack/react-query'
import { pollMs } from '../api/live'
import { mayActAs } from '../api/types'
import { useApi, useRole } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { PageHead } from '../shell/page-head'
import { useSearchState } from '../shell/use-search-state'
import { plural } from '../ui/format'
import { Notice, SkeletonRows } from '../ui/states'
import { useListCursor } from '../ui/use-list-cursor'
import { ApprovalCard } from './approval-card'
import { approvalId, approvalsQuery } from './approval-queries'
import './approvals.css'

export function ApprovalsPage() {
  const api = useApi()
  // Asked for often: the project's stream carries changes of runs, and a task that begins to wait changes no run.
  const approvals = useQuery({ ...approvalsQuery(api), refetchInterval: pollMs })
  const count = approvals.data?.items.length ?? 0
  return (
    <>
      <PageHead
        title="Approvals"
        beside={
          count > 0 && (
            <span className="muted">
              {approvals.data?.nextCursor ? `more than ${count}` : plural(count, 'approval')} for you to decide
            </span>
          )
        }
      />
      <div className="page-body">
        <ApprovalList />
      </div>
    </>
  )
}

function ApprovalList() {
  const api = useApi()
  const [search, change] = useSearchState()
  const approvals = useQuery(approvalsQuery(api))
  const items = approvals.data?.items ?? []
  // A single one needs no choosing.
  const open = search.open ?? (items.length === 1 && items[0] ? approvalId(items[0]) : undefined)
  const toggle = (id: string) => change({ open: open === id ? 'none' : id })
  const at = useListCursor({
    count: items.length,
    onOpen: (index) => items[index] && toggle(approvalId(items[index])),
  })
  if (approvals.isPending) return <SkeletonRows rows={6} columns={3} />
  if (!approvals.data) return <ErrorNotice error={approvals.error} onRetry={() => void approvals.refetch()} />
  if (items.length === 0) return <NoApprovals />
  return (
    <>
      <ul className="approvals">
        {items.map((approval, index) => {
          const id = approvalId(approval)
          return (
            <ApprovalCard
              key={id}
              approval={approval}
              index={index}
              active={index === at}
              open={id === open}
              onToggle={() => toggle(id)}
            />
          )
        })}
      </ul>
      {approvals.data.nextCursor && <p className="muted approvals-more">More wait; they follow as you decide these.</p>}
    </>
  )
}

function NoApprovals() {
  const role = useRole()
  return (
    <Notice icon="approvals" title="Nothing waits for you">
      <p>
        A run that reaches a task with <code>uses: approval</code> waits here until somebody decides. This page keeps
        itself up to date.
      </p>
      {!mayActAs(role, 'operator') && (
        <p>
          You are a {role ?? 'guest'} here. Approvals need the role operator, unless the task names another: an owner of
          the project can give it to you.
        </p>
      )}
    </Notice>
  )
}
