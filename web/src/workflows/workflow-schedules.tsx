import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import { useApi, useMay } from '../api/use-api'
import { schedulesQuery } from '../schedules/schedule-queries'
import { SchedulesTable } from '../schedules/schedules-table'
import { ErrorNotice } from '../shell/error-notice'
import { Notice, SkeletonRows } from '../ui/states'

export function WorkflowSchedules({ name }: { name: string }) {
  const api = useApi()
  const refetchInterval = useRefetchInterval()
  const schedules = useQuery({ ...schedulesQuery(api, name), refetchInterval })
  if (schedules.isPending) return <SkeletonRows rows={4} columns={5} />
  if (!schedules.data) return <ErrorNotice error={schedules.error} onRetry={() => void schedules.refetch()} />
  if (schedules.data.items.length === 0) {
    return (
      <Notice icon="schedules" title="No schedule starts this workflow" actions={<NewSchedule name={name} />}>
        <p>A schedule starts runs by the clock: at times given by cron, or at equal intervals.</p>
      </Notice>
    )
  }
  return (
    <div className="workflow-pad">
      <SchedulesTable schedules={schedules.data.items} />
      <p className="workflow-more">
        <NewSchedule name={name} />
      </p>
    </div>
  )
}

function NewSchedule({ name }: { name: string }) {
  const { project } = useApi()
  const may = useMay('editor')
  if (!may) return <span className="muted">You need the role editor to create schedules.</span>
  return (
    <Link className="button" to="/p/$project/schedules/new" params={{ project }} search={{ workflow: name }}>
      New schedule
    </Link>
  )
}
