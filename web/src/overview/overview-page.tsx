import { useQuery } from '@tanstack/react-query'
import { useRefetchInterval } from '../api/live'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { PageHead } from '../shell/page-head'
import { useSearchState } from '../shell/use-search-state'
import { Notice } from '../ui/states'
import { ExampleCards } from '../workflows/example-cards'
import { Counts } from './counts'
import { FailuresCard } from './failures-card'
import { OpenCard } from './open-card'
import { rangeOf, ranges } from './overview-model'
import { countsQuery } from './overview-queries'
import { SchedulesCard } from './schedules-card'
import { Throughput } from './throughput'
import { QueuesCard, WorkersCard } from './work-cards'
import './overview.css'

export function OverviewPage() {
  const api = useApi()
  const [search, change] = useSearchState()
  const range = rangeOf(search.range, search.from, search.to)
  const refetchInterval = useRefetchInterval()
  const counts = useQuery({ ...countsQuery(api), refetchInterval })
  const none = counts.data?.items.every(({ count }) => count === 0)
  return (
    <>
      <PageHead
        title="Overview"
        actions={
          <select
            className="input overview-range"
            aria-label="Time range"
            value={range.toMs === undefined ? range.id : ''}
            onChange={(event) => change({ range: event.target.value, from: undefined, to: undefined })}
          >
            {range.toMs !== undefined && <option value="">Zoomed in</option>}
            {ranges.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        }
      />
      <div className="page-body">
        {counts.isError && !counts.data && <ErrorNotice error={counts.error} onRetry={() => void counts.refetch()} />}
        {none ? (
          <>
            <Notice icon="workflows" title="Nothing has run here yet">
              <p>Begin with an example: one click creates it, starts it and shows it while it runs.</p>
            </Notice>
            <ExampleCards />
          </>
        ) : (
          <div className="overview">
            <Counts items={counts.data?.items} />
            <Throughput range={range} />
            <div className="overview-cards">
              <FailuresCard range={range} />
              <OpenCard />
              <QueuesCard />
              <WorkersCard />
              <SchedulesCard />
            </div>
          </div>
        )}
      </div>
    </>
  )
}
