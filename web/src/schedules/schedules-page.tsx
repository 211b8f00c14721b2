import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import { useApi, useMay } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { PageHead } from '../shell/page-head'
import { useSearchState } from '../shell/use-search-state'
import { FilterText } from '../ui/filter-text'
import { Notice, SkeletonRows } from '../ui/states'
import { useListCursor } from '../ui/use-list-cursor'
import { schedulesQuery } from './schedule-queries'
import { SchedulesTable } from './schedules-table'
import './schedules.css'

export function SchedulesPage() {
  const [search, change] = useSearchState()
  return (
    <>
      <PageHead title="Schedules" actions={<NewSchedule />}>
        <div>
          <FilterText
            id="schedules-search"
            label="Workflow"
            placeholder="Workflow  /"
            value={search.workflow ?? ''}
            onChange={(workflow) => change({ workflow: workflow || undefined })}
          />
        </div>
      </PageHead>
      <div className="page-body">
        <ScheduleList workflow={search.workflow ?? ''} />
      </div>
    </>
  )
}

function NewSchedule() {
  const { project } = useApi()
  const may = useMay('editor')
  if (!may) return <span className="muted">You need the role editor to create schedules.</span>
  return (
    <Link className="button button-primary" to="/p/$project/schedules/new" params={{ project }}>
      New schedule
    </Link>
  )
}

function ScheduleList({ workflow }: { workflow: string }) {
  const api = useApi()
  const { project } = api
  const navigate = useNavigate()
  const refetchInterval = useRefetchInterval()
  const list = useQuery({ ...schedulesQuery(api, workflow), refetchInterval })
  const items = list.data?.items ?? []
  const at = useListCursor({
    count: items.length,
    onOpen: (index) => {
      const scheduleId = items[index]?.id
      if (scheduleId) void navigate({ to: '/p/$project/schedules/$scheduleId', params: { project, scheduleId } })
    },
    searchId: 'schedules-search',
  })
  if (list.isPending) return <SkeletonRows rows={8} columns={5} />
  if (!list.data) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
  if (items.length === 0 && workflow !== '') return <Notice icon="search" title={`No schedules of ${workflow}`} />
  if (items.length === 0) {
    return (
      <Notice icon="schedules" title="No schedules yet" actions={<NewSchedule />}>
        <p>A schedule starts runs of a workflow by the clock: at times given by cron, or at equal intervals.</p>
      </Notice>
    )
  }
  return <SchedulesTable schedules={items} activeIndex={at} />
}
