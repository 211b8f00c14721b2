import { useQuery } from '@tanstack/react-query'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { formatCount, formatDuration } from '../ui/format'
import { SkeletonRows } from '../ui/states'
import { Time } from '../ui/time'
import { statisticsQuery } from './notification-queries'

const latencyOf = (ms: number | null | undefined): string => (ms == null ? '–' : formatDuration(ms))

/** How the latest 1,000 notifications fared. */
export function SubscriptionStatistics({ id }: { id: string }) {
  const statistics = useQuery(statisticsQuery(useApi(), id))
  if (statistics.isPending) return <SkeletonRows rows={6} columns={2} />
  if (!statistics.data) return <ErrorNotice error={statistics.error} onRetry={() => void statistics.refetch()} />
  const { data } = statistics
  const ended = data.delivered + data.failed
  return (
    <dl className="facts">
      <dt>Delivered</dt>
      <dd>
        {formatCount(data.delivered)}
        {ended > 0 && ` (${((data.delivered / ended) * 100).toFixed(1)} %)`}
      </dd>
      <dt>Failed</dt>
      <dd className={data.failed > 0 ? 'tone-failed' : undefined}>{formatCount(data.failed)}</dd>
      <dt>Pending</dt>
      <dd>{formatCount(data.pending)}</dd>
      <dt>Attempts</dt>
      <dd>{formatCount(data.attempts)}</dd>
      <dt>Answer time</dt>
      <dd>
        p50 {latencyOf(data.latencyMs.p50)}, p95 {latencyOf(data.latencyMs.p95)}, p99 {latencyOf(data.latencyMs.p99)}
      </dd>
      <dt>Last delivered</dt>
      <dd>
        <Time at={data.lastDeliveredAt} />
      </dd>
      <dt>Last failed</dt>
      <dd>
        <Time at={data.lastFailedAt} />
      </dd>
    </dl>
  )
}
