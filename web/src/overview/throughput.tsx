import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { type BarColumn, Bars } from '../ui/bars'
import { formatAbsolute, formatCount, formatDuration } from '../ui/format'
import { fillBuckets, type Range, successRate } from './overview-model'
import { statsQuery } from './overview-queries'

const shown = (ms: number | null | undefined) => (ms == null ? '–' : formatDuration(ms))

/** Ended runs over time. A column, or a range that is dragged over, leads to the runs behind it. */
export function Throughput({ range }: { range: Range }) {
  const api = useApi()
  const navigate = useNavigate()
  const refetchInterval = useRefetchInterval()
  const stats = useQuery({ ...statsQuery(api, range), refetchInterval, placeholderData: (old) => old })
  if (stats.isError && !stats.data) return <ErrorNotice error={stats.error} onRetry={() => void stats.refetch()} />
  const { bucketMs = range.bucketMs, from = '', to = '', buckets = [] } = stats.data ?? {}
  const columns = fillBuckets(buckets, Date.parse(from), Date.parse(to), bucketMs).map(({ at, bucket }): BarColumn => {
    const { succeeded = 0, failed = 0, cancelled = 0 } = bucket?.runs?.counts ?? {}
    return {
      at,
      label: `${formatAbsolute(at)}: ${formatCount(succeeded)} succeeded, ${formatCount(failed)} failed`,
      parts: [
        { tone: 'succeeded', value: succeeded },
        { tone: 'failed', value: failed },
        { tone: 'idle', value: cancelled },
      ],
    }
  })
  const pick = (first: number, last: number) => {
    const [start, end] = [columns[first]?.at, columns[last]?.at]
    if (start === undefined || end === undefined) return
    const search = { from: new Date(start).toISOString(), to: new Date(end + bucketMs).toISOString() }
    void navigate({ to: '/p/$project/runs', params: { project: api.project }, search })
  }
  const all = stats.data?.runs
  const rate = successRate(all?.counts)
  return (
    <section className="card throughput" aria-label="Runs over time">
      <dl className="throughput-facts">
        <Fact name="Success rate" value={rate === undefined ? '–' : `${(rate * 100).toFixed(rate === 1 ? 0 : 1)} %`} />
        <Fact
          name="Runs ended"
          value={formatCount(
            (all?.counts?.succeeded ?? 0) + (all?.counts?.failed ?? 0) + (all?.counts?.cancelled ?? 0),
          )}
        />
        <Fact name="Duration p50" value={shown(all?.durations?.p50)} />
        <Fact name="Duration p95" value={shown(all?.durations?.p95)} />
        <Fact name="Task wait p95" value={shown(stats.data?.queueWait?.p95)} />
      </dl>
      <Bars label="Ended runs by time" columns={columns} onPick={pick} />
      <p className="throughput-axis muted">
        <span>{columns[0] ? formatAbsolute(columns[0].at) : ''}</span>
        <span>now</span>
      </p>
    </section>
  )
}

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)
