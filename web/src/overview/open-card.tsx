import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import { useApi } from '../api/use-api'
import { explainQuery, reasonsOf } from '../run/run-queries'
import { StatusIcon } from '../ui/status'
import { Time } from '../ui/time'
import { Nothing, OverviewCard } from './overview-card'
import { longestOpenQuery } from './overview-queries'

const shown = 6

export function OpenCard() {
  const api = useApi()
  const { project } = api
  const refetchInterval = useRefetchInterval()
  const open = useQuery({ ...longestOpenQuery(api, shown), refetchInterval })
  return (
    <OverviewCard title="Longest not ended" note="and what each waits for" query={open}>
      {({ items }) =>
        items.length === 0 ? (
          <Nothing>Everything has ended.</Nothing>
        ) : (
          <ul className="overview-list">
            {items.map((run) => (
              <li key={run.id}>
                <Link className="overview-row" to="/p/$project/runs/$runId" params={{ project, runId: run.id }}>
                  <StatusIcon status={run.status} />
                  <span className="overview-name">
                    {run.workflow} <span className="muted">{run.status}</span>
                  </span>
                  <Time at={run.createdAt} />
                </Link>
                <Why runId={run.id} />
              </li>
            ))}
          </ul>
        )
      }
    </OverviewCard>
  )
}

/** A call for each of a handful of rows; asked again only when the list itself is read again. */
function Why({ runId }: { runId: string }) {
  const explain = useQuery({ ...explainQuery(useApi(), runId), staleTime: 15_000, refetchInterval: 30_000 })
  const [reason] = reasonsOf(explain.data)
  return reason ? (
    <p className="overview-under muted" title={reason}>
      {reason}
    </p>
  ) : null
}
