import { useQuery } from '@tanstack/react-query'
import type { Task } from '../api/types'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { withLocalTimes } from '../ui/format'
import { explainQuery } from './run-queries'

export function TaskWhy({ runId, task }: { runId: string; task: Task }) {
  const api = useApi()
  const explain = useQuery({ ...explainQuery(api, runId), refetchInterval: 3_000 })
  if (explain.isError) return <ErrorNotice error={explain.error} onRetry={() => void explain.refetch()} />
  const found = explain.data?.tasks.find(({ key, index }) => key === task.key && index === task.index)
  const blockers = [...(found?.blockers ?? []), ...(explain.data?.blockers ?? [])]
  if (!explain.data) return null
  return (
    <div className="drawer-pad why">
      <p>{found ? withLocalTimes(found.why) : 'Nothing holds this task back now.'}</p>
      <ul>
        {blockers.map(({ kind, detail }) => (
          <li key={kind + detail} className="why-blocker">
            <span className="tag">{kind.replaceAll('_', ' ')}</span>
            {detail !== found?.why && <span>{withLocalTimes(detail)}</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}
