import { useQuery } from '@tanstack/react-query'
import { read } from '../api/client'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { formatCount, formatDuration } from '../ui/format'
import { Notice, SkeletonRows } from '../ui/states'

const shown = (ms: number | null | undefined): string => (ms == null ? '–' : formatDuration(ms))

interface Shaky {
  key: string
  runs: number
  failures: number
  retries: number
}

/** Of each run's attempts, the share that came to nothing; undefined where none did. */
function flakiestOf(items: readonly Shaky[]): string | undefined {
  const share = ({ runs, failures, retries }: Shaky) => (failures + retries) / Math.max(1, runs + retries)
  const [most] = items.toSorted((a, b) => share(b) - share(a))
  return most && share(most) > 0 ? most.key : undefined
}

/** By task over the last days: which is slowest, and which fails or is retried most. */
export function WorkflowStats({ name }: { name: string }) {
  const api = useApi()
  const stats = useQuery({
    queryKey: [api.project, 'task-stats', name],
    queryFn: () => read(api.client.GET('/api/v1/stats/tasks', { params: { query: { workflow: name } } })),
  })
  if (stats.isPending) return <SkeletonRows rows={6} columns={6} />
  if (!stats.data) return <ErrorNotice error={stats.error} onRetry={() => void stats.refetch()} />
  const items = stats.data.items.toSorted((a, b) => (b.p95 ?? 0) - (a.p95 ?? 0))
  if (items.length === 0) return <Notice icon="overview" title="No task ran lately" />
  const slowest = items[0]?.p95 ? items[0].key : undefined
  const flakiest = flakiestOf(items)
  return (
    <div className="workflow-pad table-scroll">
      <table className="table">
        <thead>
          <tr>
            <th className="grow">Task</th>
            <th className="number">Runs</th>
            <th className="number">Failures</th>
            <th className="number">Retries</th>
            <th className="number">p50</th>
            <th className="number">p95</th>
            <th className="number">p99</th>
            <th className="number">Waits, p95</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.key}>
              <td className="grow">
                {item.key} {item.key === slowest && <span className="tag">slowest</span>}{' '}
                {item.key === flakiest && <span className="tag tag-warn">flakiest</span>}
              </td>
              <td className="number">{formatCount(item.runs)}</td>
              <td className={item.failures ? 'number tone-failed' : 'number'}>{formatCount(item.failures)}</td>
              <td className="number">{formatCount(item.retries)}</td>
              <td className="number">{shown(item.p50)}</td>
              <td className="number">{shown(item.p95)}</td>
              <td className="number">{shown(item.p99)}</td>
              <td className="number">{shown(item.wait.p95)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
