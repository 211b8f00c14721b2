import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import type { Schedule } from '../api/types'
import { useApi } from '../api/use-api'
import { schedulesQuery, stateOf, titleOf } from '../schedules/schedule-queries'
import { timingInWords } from '../schedules/timing-in-words'
import { StatusIcon } from '../ui/status'
import { Time } from '../ui/time'
import { Nothing, OverviewCard } from './overview-card'
import { nextDue } from './overview-model'

const shown = 6

/** What comes next by the clock. */
export function SchedulesCard() {
  const api = useApi()
  const { project } = api
  const refetchInterval = useRefetchInterval()
  const schedules = useQuery({ ...schedulesQuery(api, ''), refetchInterval })
  const all = (
    <Link to="/p/$project/schedules" params={{ project }}>
      All
    </Link>
  )
  return (
    <OverviewCard title="Next schedules" note={all} query={schedules}>
      {({ items }) => {
        const next = nextDue(items, shown)
        return next.length === 0 ? (
          <Nothing>{items.length === 0 ? 'Nothing is scheduled.' : 'No schedule comes due.'}</Nothing>
        ) : (
          <ul className="overview-list">
            {next.map((schedule) => (
              <Due key={schedule.id} schedule={schedule} />
            ))}
          </ul>
        )
      }}
    </OverviewCard>
  )
}

function Due({ schedule }: { schedule: Schedule }) {
  const { project } = useApi()
  return (
    <li>
      <Link
        className="overview-row"
        to="/p/$project/schedules/$scheduleId"
        params={{ project, scheduleId: schedule.id }}
      >
        <StatusIcon status={schedule.lastError ? 'failed' : stateOf(schedule)} />
        <span className="overview-name">
          {titleOf(schedule)} <span className="muted">{timingInWords(schedule)}</span>
        </span>
        <Time at={schedule.nextAt} zone={schedule.timezone} />
      </Link>
      {schedule.lastError && (
        <span className="overview-under tone-failed">A tick became no run: {schedule.lastError.message}</span>
      )}
    </li>
  )
}
