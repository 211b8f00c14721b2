import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import type { Schedule } from '../api/types'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { PageHead } from '../shell/page-head'
import { CopyId } from '../ui/copy'
import { plural } from '../ui/format'
import { Json } from '../ui/json'
import { SkeletonRows } from '../ui/states'
import { Status } from '../ui/status'
import { Time } from '../ui/time'
import { NextTicks } from './next-ticks'
import { ScheduleActions } from './schedule-actions'
import { catchupWords } from './schedule-form'
import { scheduleQuery, stateOf, titleOf } from './schedule-queries'
import { ScheduleRuns } from './schedule-runs'
import { timingInWords, timingText } from './timing-in-words'
import './schedules.css'

export function SchedulePage() {
  const { scheduleId } = useParams({ strict: false }) as { scheduleId: string }
  const api = useApi()
  const refetchInterval = useRefetchInterval()
  const schedule = useQuery({ ...scheduleQuery(api, scheduleId), refetchInterval })
  if (schedule.isPending) return <SkeletonRows rows={8} columns={3} />
  if (!schedule.data) return <ErrorNotice error={schedule.error} onRetry={() => void schedule.refetch()} />
  return <ScheduleView key={scheduleId} schedule={schedule.data} />
}

function ScheduleView({ schedule }: { schedule: Schedule }) {
  const { project } = useApi()
  const { id, lastError, pendingTicks = 0, timezone } = schedule
  return (
    <>
      <PageHead
        title={titleOf(schedule)}
        above={
          <Link to="/p/$project/schedules" params={{ project }}>
            Schedules
          </Link>
        }
        beside={
          <>
            <Status status={stateOf(schedule)} />
            <CopyId id={id} />
          </>
        }
        actions={<ScheduleActions schedule={schedule} />}
      >
        <p className="schedule-words">
          {timingInWords(schedule)} <span className="muted">in {timezone}</span>
        </p>
        {lastError && (
          <div className="banner banner-danger">
            <strong>
              The tick of <Time at={lastError.tick} zone={timezone} /> became no run
            </strong>
            <span className="schedule-error">{lastError.message}</span>
          </div>
        )}
        {pendingTicks > 0 && <div className="banner">{plural(pendingTicks, 'tick')} wait for their run.</div>}
      </PageHead>
      <div className="page-body schedule-parts">
        <NextTicks schedule={schedule} />
        <Settings schedule={schedule} />
        <ScheduleRuns schedule={schedule} />
      </div>
    </>
  )
}

function Settings({ schedule }: { schedule: Schedule }) {
  const { project } = useApi()
  const { workflow, timezone, catchup, input, createdAt, updatedAt } = schedule
  return (
    <section className="card" aria-label="Settings">
      <div className="card-head">
        <h2>Settings</h2>
      </div>
      <div className="card-body schedule-stack">
        <dl className="facts">
          <dt>Workflow</dt>
          <dd>
            <Link to="/p/$project/workflows/$name" params={{ project, name: workflow }}>
              {workflow}
            </Link>
          </dd>
          <dt>When</dt>
          <dd>
            <code>{timingText(schedule)}</code>
          </dd>
          <dt>Time zone</dt>
          <dd>{timezone}</dd>
          <dt>After downtime</dt>
          <dd>{catchupWords[catchup]}</dd>
          <dt>Created</dt>
          <dd>
            <Time at={createdAt} />, changed <Time at={updatedAt} />
          </dd>
        </dl>
        <h3>Input of every run</h3>
        <Json label="Input of every run" value={input} />
      </div>
    </section>
  )
}
