import { useQuery } from '@tanstack/react-query'
import type { Schedule } from '../api/types'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { SkeletonRows } from '../ui/states'
import { Time } from '../ui/time'
import { formatTick, haveSeconds } from './format-tick'
import { nextTicksQuery } from './schedule-queries'

export const viewerZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The next ten, in the schedule's zone and the reader's: where they differ, mistakes about midnight show. */
export function NextTicks({ schedule }: { schedule: Schedule }) {
  const api = useApi()
  const ticks = useQuery(nextTicksQuery(api, schedule))
  const { timezone, paused } = schedule
  const foreign = timezone !== viewerZone
  const year = new Date().getFullYear()
  const seconds = haveSeconds(ticks.data?.items ?? [])
  return (
    <section className="card" aria-label="Next ten">
      <div className="card-head">
        <h2>Next ten</h2>
        {paused && <span className="muted">paused: none of these starts a run until it is resumed</span>}
      </div>
      {ticks.isPending && <SkeletonRows rows={10} columns={3} />}
      {ticks.isError && <ErrorNotice error={ticks.error} onRetry={() => void ticks.refetch()} />}
      {ticks.data && (
        <div className="table-scroll">
          <table className="table">
            <thead>
              <tr>
                <th>{timezone}</th>
                {foreign && <th>You, {viewerZone}</th>}
                <th className="number">In</th>
              </tr>
            </thead>
            <tbody>
              {ticks.data.items.map((tick) => (
                <tr key={tick}>
                  <td>{formatTick(tick, timezone, year, seconds)}</td>
                  {foreign && <td>{formatTick(tick, viewerZone, year, seconds)}</td>}
                  <td className="number">
                    <Time at={tick} zone={timezone} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
