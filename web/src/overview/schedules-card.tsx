import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import { useApi } from '../api/use-api'
import { schedulesQuery, stateOf, titleOf } from '../schedules/schedule-queries'
import { timingInWords } from '../schedules/timing-in-words'
import { StatusIcon } from '../ui/status'
import { Time } from '../ui/time'
import { nextDue } from './overview-model'

const shown = 6

/** What comes next by the clock. Absent where there are no schedules: most projects have none at first. */
export function SchedulesCard() {
  const api = useApi()
  const { project } = api
  const refetchInterval = useRefetchInterval()
  const schedules = useQuery({ ...schedulesQuery(api, ''), refetchInterval })
  const next = nextDue(schedules.data?.items ?? [], shown)
  if (next.length === 0) return null
  return (
    <section className="card" aria-label="Next schedules">
      <div className="card-head">
        <h2>Next schedules</h2>
        <Link to="/p/$project/schedules" params={{ project }}>
          All
        </Link>
      </div>
      <ul className="overview-list">
        {next.map((schedule) => (
          <li key={schedule.id}>
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
        ))}
      </ul>
    </section>
  )
}
