import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../api/client'
import { useRefetchInterval } from '../api/live'
import { useApi } from '../api/use-api'
import { shortId } from '../ui/format'
import { Status } from '../ui/status'

interface RunStateProps {
  runId: string
  workflow: string
  taskKey?: string
}

/** Where a retried dead letter went: its run, and how that does now. */
export function RunState({ runId, workflow, taskKey }: RunStateProps) {
  const api = useApi()
  const refetchInterval = useRefetchInterval()
  const run = useQuery({
    queryKey: [api.project, 'live', 'run-state', runId],
    queryFn: () => read(api.client.GET('/api/v1/runs/{id}', { params: { path: { id: runId } } })),
    select: ({ status }) => status,
    refetchInterval,
  })
  return (
    <span className="dead-letter-run">
      <Link
        to="/p/$project/runs/$runId"
        params={{ project: api.project, runId }}
        search={taskKey === undefined ? {} : { task: taskKey }}
        title={runId}
      >
        {workflow} {shortId(runId)}
      </Link>
      {run.data && <Status status={run.data} />}
    </span>
  )
}
