import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { useSearchState } from '../shell/use-search-state'
import { type BarColumn, Bars } from '../ui/bars'
import { Button } from '../ui/button'
import { formatAbsolute, formatCount, formatDuration } from '../ui/format'
import { Lines } from '../ui/lines'
import { fillBuckets, type Span, successRate } from './overview-model'
import { statsQuery } from './overview-queries'

const shown = (ms: number | null | undefined) => (ms == null ? '–' : formatDuration(ms))

/** Ended runs over time. A click on a column leads to the runs behind it; dragging over several zooms into them. */
export function Throughput({ range }: { range: Span }) {
  const api = useApi()
  const navigate = useNavigate()
  const [, change] = useSearchState()
  const refetchInterval = useRefetchInterval()
  const stats = useQuery({ ...statsQuery(api, range), refetchInterval, placeholderData: (old) => old })
  if (stats.isError && !stats.data) return <ErrorNotice error={stats.error} onRetry={() => void stats.refetch()} />
  const { bucketMs = range.bucketMs, from = '', to = '', buckets = [] } = stats.data ?? {}
  const filled = fillBuckets(buckets, Date.parse(from), Date.parse(to), bucketMs)
  const columns = filled.map(({ at, bucket }): BarColumn => {
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
    if (last > first) change(search)
    else void navigate({ to: '/p/$project/runs', params: { project: api.project }, search })
  }
  const highest = Math.max(0, ...columns.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0)))
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
      <div className="throughput-chart">
        <Bars label="Ended runs by time" columns={columns} onPick={pick} />
        <span className="throughput-most muted">{highest > 0 && `${formatCount(highest)} runs`}</span>
      </div>
      <Lines
        label="Duration of ended runs by time"
        format={formatDuration}
        lines={[
          {
            id: 'p50',
            label: 'Duration p50',
            values: filled.map(({ bucket }) => bucket?.runs?.durations?.p50 ?? undefined),
          },
          { id: 'p95', label: 'p95', values: filled.map(({ bucket }) => bucket?.runs?.durations?.p95 ?? undefined) },
        ]}
      />
      <p className="throughput-axis muted">
        <span>{columns[0] ? formatAbsolute(columns[0].at) : ''}</span>
        <span>{range.toMs === undefined ? 'now' : formatAbsolute(range.toMs)}</span>
      </p>
      {range.toMs !== undefined && (
        <p className="throughput-zoom">
          <Button small onClick={() => change({ from: undefined, to: undefined })}>
            Zoom out
          </Button>
          <Link
            to="/p/$project/runs"
            params={{ project: api.project }}
            search={{ from: new Date(range.toMs - range.spanMs).toISOString(), to: new Date(range.toMs).toISOString() }}
          >
            Runs of this time
          </Link>
        </p>
      )}
    </section>
  )
}

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)
