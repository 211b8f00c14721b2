import { useQuery } from '@tanstack/react-query'
import { useRefetchInterval } from '../api/live'
import type { Schedule } from '../api/types'
import { useApi } from '../api/use-api'
import { RunsTable } from '../runs/runs-table'
import '../runs/runs.css'
import { ErrorNotice } from '../shell/error-notice'
import { RunStrip } from '../workflows/run-strip'
import { recentRunsQuery } from '../workflows/workflow-queries'
import '../workflows/workflows.css'
import { runsOfSchedule } from './schedule-queries'

const shown = 10

export function ScheduleRuns({ schedule: { id, workflow } }: { schedule: Schedule }) {
  const api = useApi()
  const refetchInterval = useRefetchInterval()
  const recent = useQuery({ ...recentRunsQuery(api, workflow), refetchInterval })
  const runs = runsOfSchedule(recent.data?.items ?? [], id)
  return (
    <section className="card schedule-wide" aria-label="Runs">
      <div className="card-head">
        <h2>Runs</h2>
        {runs.length > 0 && <RunStrip runs={runs} />}
      </div>
      {recent.isError && <ErrorNotice error={recent.error} onRetry={() => void recent.refetch()} />}
      {recent.isSuccess && runs.length === 0 && (
        <p className="card-body muted">None of the last 200 runs of {workflow} came from this schedule.</p>
      )}
      {runs.length > 0 && <RunsTable runs={runs.slice(0, shown)} />}
    </section>
  )
}
