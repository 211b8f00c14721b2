import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import { useApi } from '../api/use-api'
import { explainQuery, reasonsOf } from '../run/run-queries'
import { plural } from '../ui/format'
import { StatusIcon } from '../ui/status'
import { Time } from '../ui/time'
import { groupFailures, longestOpen, type Span } from './overview-model'
import { runsByStatusQuery } from './overview-queries'

const shown = 6

export function FailuresCard({ range }: { range: Span }) {
  const api = useApi()
  const { project } = api
  const refetchInterval = useRefetchInterval()
  const failed = useQuery({ ...runsByStatusQuery(api, ['failed'], range), refetchInterval })
  const groups = groupFailures(failed.data?.items ?? [], shown)
  return (
    <section className="card" aria-label="What fails most">
      <div className="card-head">
        <h2>What fails most</h2>
        <span className="muted">{range.label.toLowerCase()}</span>
      </div>
      {failed.isSuccess && groups.length === 0 && <p className="muted overview-none">Nothing failed.</p>}
      <ul className="overview-list">
        {groups.map(({ workflow, error, count, last }) => (
          <li key={workflow + error}>
            <Link
              className="overview-row"
              to="/p/$project/runs"
              params={{ project }}
              search={{ workflow, status: 'failed', ...timesOf(range) }}
            >
              <StatusIcon status="failed" />
              <span className="overview-name">
                {workflow} <span className="muted">{error}</span>
              </span>
              <span>{plural(count, 'run')}</span>
            </Link>
            <Link className="overview-under muted" to="/p/$project/runs/$runId" params={{ project, runId: last.id }}>
              {last.error?.message ?? last.reason} · <Time at={last.finishedAt} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

const timesOf = ({ id, spanMs, toMs }: Span): { from: string; to?: string } =>
  toMs === undefined ? { from: id } : { from: new Date(toMs - spanMs).toISOString(), to: new Date(toMs).toISOString() }

export function OpenCard() {
  const api = useApi()
  const { project } = api
  const refetchInterval = useRefetchInterval()
  const open = useQuery({ ...runsByStatusQuery(api, ['queued', 'running', 'paused', 'cancelling']), refetchInterval })
  const runs = longestOpen(open.data?.items ?? [], shown)
  return (
    <section className="card" aria-label="Longest not ended">
      <div className="card-head">
        <h2>Longest not ended</h2>
        <span className="muted">and what each waits for</span>
      </div>
      {open.isSuccess && runs.length === 0 && <p className="muted overview-none">Everything has ended.</p>}
      <ul className="overview-list">
        {runs.map((run) => (
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
    </section>
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
