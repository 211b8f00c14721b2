import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import { useApi } from '../api/use-api'
import { RunsTable } from '../runs/runs-table'
import '../runs/runs.css'
import { ErrorNotice } from '../shell/error-notice'
import { Notice, SkeletonRows } from '../ui/states'
import { recentRunsQuery } from './workflow-queries'

const shown = 50

export function WorkflowRuns({ name }: { name: string }) {
  const api = useApi()
  const refetchInterval = useRefetchInterval()
  const runs = useQuery({ ...recentRunsQuery(api, name, shown + 1), refetchInterval })
  if (runs.isPending) return <SkeletonRows rows={8} columns={5} />
  if (!runs.data) return <ErrorNotice error={runs.error} onRetry={() => void runs.refetch()} />
  const { items } = runs.data
  if (items.length === 0) return <Notice icon="runs" title="It never ran" />
  return (
    <div className="workflow-pad">
      <RunsTable runs={items.slice(0, shown)} />
      {items.length > shown && (
        <p className="workflow-more">
          <Link to="/p/$project/runs" params={{ project: api.project }} search={{ workflow: name }}>
            All runs of {name}
          </Link>
        </p>
      )}
    </div>
  )
}
