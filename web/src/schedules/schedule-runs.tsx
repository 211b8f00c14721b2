import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import type { Schedule } from '../api/types'
import { useApi } from '../api/use-api'
import { RunsTable } from '../runs/runs-table'
import '../runs/runs.css'
import { ErrorNotice } from '../shell/error-notice'
import { SkeletonRows } from '../ui/states'
import { RunStrip, stripRunOf } from '../workflows/run-strip'
import '../workflows/workflows.css'
import { scheduleRunsQuery, ticksOf } from './schedule-queries'

const shown = 10

export function ScheduleRuns({ schedule }: { schedule: Schedule }) {
  const api = useApi()
  const { id, workflow } = schedule
  const refetchInterval = useRefetchInterval()
  const recent = useQuery({ ...scheduleRunsQuery(api, schedule), refetchInterval })
  const runs = recent.data?.items ?? []
  const ticks = ticksOf(runs, id)
  return (
    <section className="card schedule-wide" aria-label="Runs">
      <div className="card-head">
        <h2>Runs</h2>
        {ticks.length > 0 && (
          <span className="schedule-strip muted">
            its latest runs, by how long they took <RunStrip runs={ticks.map(stripRunOf)} />
          </span>
        )}
      </div>
      {recent.isPending && <SkeletonRows rows={3} columns={5} />}
      {!recent.isPending && !recent.data && <ErrorNotice error={recent.error} onRetry={() => void recent.refetch()} />}
      {recent.data && runs.length === 0 && <p className="card-body muted">No run came from this schedule yet.</p>}
      {runs.length > 0 && <RunsTable runs={runs.slice(0, shown)} />}
      {runs.length > shown && (
        <p className="workflow-more">
          <Link to="/p/$project/runs" params={{ project: api.project }} search={{ workflow, label: `schedule=${id}` }}>
            All runs of this schedule
          </Link>
        </p>
      )}
    </section>
  )
}
