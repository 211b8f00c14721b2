import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import type { Body, Item } from '../api/types'
import { useApi } from '../api/use-api'
import { formatCount } from '../ui/format'
import { StatusIcon } from '../ui/status'
import { Time } from '../ui/time'
import { Nothing, OverviewCard } from './overview-card'
import { rangeInWords, type Span, timesOf } from './overview-model'
import { failuresQuery, lastFailureQuery, statsQuery } from './overview-queries'

const shown = 6

/** Of all task executions of the range. */
export function FailuresCard({ range }: { range: Span }) {
  const api = useApi()
  const refetchInterval = useRefetchInterval()
  const stats = useQuery({ ...statsQuery(api, range), refetchInterval })
  const failed = stats.data?.counts?.failed
  const failures = useQuery({ ...failuresQuery(api, range, failed, shown), enabled: !stats.isPending })
  return (
    <OverviewCard title="What fails most" note={rangeInWords(range)} query={failures}>
      {({ items }) =>
        items.length === 0 ? (
          <Nothing>Nothing failed.</Nothing>
        ) : (
          <ul className="overview-list">
            {items.map((item) => (
              <Failing key={`${item.workflow} ${item.key}`} item={item} range={range} />
            ))}
          </ul>
        )
      }
    </OverviewCard>
  )
}

interface FailingProps {
  item: Item<Body<'getTaskStats'>>
  range: Span
}

/** Leads to the dead letters, which are one for each of the failures, and to the last run that had one. */
function Failing({ item: { workflow, key, failures, runs }, range }: FailingProps) {
  const { project } = useApi()
  const times = range.toMs === undefined ? { from: range.id } : timesOf(range, range.toMs)
  return (
    <li>
      <Link className="overview-row" to="/p/$project/dead-letters" params={{ project }} search={{ workflow, ...times }}>
        <StatusIcon status="failed" />
        <span className="overview-name">
          {workflow} <span className="muted">{key}</span>
        </span>
        <span>
          {formatCount(failures)} <span className="muted">of {formatCount(runs)}</span>
        </span>
      </Link>
      <LastFailure workflow={workflow} task={key} failures={failures} range={range} />
    </li>
  )
}

/** A call for each of a handful of rows, as for what stuck runs wait for; asked again when the number changes. */
function LastFailure(props: { workflow: string; task: string; failures: number; range: Span }) {
  const api = useApi()
  const { workflow, task, failures, range } = props
  const { data } = useQuery(lastFailureQuery(api, range, workflow, task, failures))
  if (!data?.runId) return null
  return (
    <Link
      className="overview-under muted"
      to="/p/$project/runs/$runId"
      params={{ project: api.project, runId: data.runId }}
      search={{ task }}
    >
      {data.error?.class}: {data.error?.message} · <Time at={data.finishedAt} />
    </Link>
  )
}
