import { Link } from '@tanstack/react-router'
import type { Schedule } from '../api/types'
import { useApi } from '../api/use-api'
import { shortId } from '../ui/format'
import { Status } from '../ui/status'
import { Time } from '../ui/time'
import { stateOf, titleOf } from './schedule-queries'
import { timingInWords, timingText } from './timing-in-words'
import './schedules.css'

interface SchedulesTableProps {
  schedules: readonly Schedule[]
  activeIndex?: number
}

export function SchedulesTable({ schedules, activeIndex = -1 }: SchedulesTableProps) {
  return (
    <div className="table-scroll">
      <table className="table schedules-table">
        <thead>
          <tr>
            <th>State</th>
            <th>Schedule</th>
            <th className="grow">When</th>
            <th>Zone</th>
            <th>Last run</th>
            <th className="number">Next</th>
          </tr>
        </thead>
        <tbody>
          {schedules.map((schedule, index) => (
            <ScheduleRow key={schedule.id} schedule={schedule} index={index} active={index === activeIndex} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function ScheduleRow({ schedule, index, active }: { schedule: Schedule; index: number; active: boolean }) {
  const { project } = useApi()
  const { id, name, workflow, timezone, lastRunId, lastTickAt, lastError, nextAt } = schedule
  return (
    <tr data-row={index} data-active={active}>
      <td>
        <Status status={stateOf(schedule)} />
      </td>
      <td className="schedule-name">
        <Link to="/p/$project/schedules/$scheduleId" params={{ project, scheduleId: id }}>
          {titleOf(schedule)}
        </Link>
        {name && <span className="muted"> of {workflow}</span>}
      </td>
      <td className="grow" title={timingText(schedule)}>
        {timingInWords(schedule)}
      </td>
      <td className="muted">{timezone}</td>
      <td>
        {lastError && (
          <span className="tone-failed" title={lastError.message}>
            a tick became no run{' '}
          </span>
        )}
        {lastRunId ? (
          <Link to="/p/$project/runs/$runId" params={{ project, runId: lastRunId }} title={lastRunId}>
            <Time at={lastTickAt} /> <span className="mono">{shortId(lastRunId)}</span>
          </Link>
        ) : (
          !lastError && <span className="muted">never</span>
        )}
      </td>
      <td className="number">
        <Time at={nextAt} zone={timezone} />
      </td>
    </tr>
  )
}
