import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRefetchInterval } from '../api/live'
import type { Body } from '../api/types'
import { useApi } from '../api/use-api'
import { formatCount, formatDuration, plural } from '../ui/format'
import { Time } from '../ui/time'
import { SharedWorkersLine } from '../workers/shared-workers'
import { Nothing, OverviewCard } from './overview-card'
import { queuesQuery, workersQuery } from './overview-queries'

const shownRows = 8

export function QueuesCard() {
  const api = useApi()
  const refetchInterval = useRefetchInterval()
  const queues = useQuery({ ...queuesQuery(api, shownRows), refetchInterval })
  return (
    <OverviewCard title="Queues" query={queues} skeleton={{ columns: 4 }}>
      {({ items, waiting, nextCursor }) =>
        items.length === 0 ? (
          <Nothing>No queues yet: one comes into being with the first task that names it.</Nothing>
        ) : (
          <>
            <QueueRows queues={items} />
            {nextCursor && <More of="queues">The deepest. {plural(waiting, 'task')} waiting in all queues.</More>}
          </>
        )
      }
    </OverviewCard>
  )
}

/** What the rows leave out, and the way to it. */
function More({ of, children }: { of: string; children: ReactNode }) {
  const { project } = useApi()
  return (
    <p className="muted card-more">
      {children}{' '}
      <Link to="/p/$project/workers" params={{ project }}>
        All {of}
      </Link>
    </p>
  )
}

function QueueRows({ queues }: { queues: Body<'listQueues'>['items'] }) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th className="grow">Queue</th>
          <th className="number">Waiting</th>
          <th className="number">Running</th>
          <th className="number">Oldest</th>
        </tr>
      </thead>
      <tbody>
        {queues.map((queue) => (
          <tr key={queue.name}>
            <td className="grow">
              {queue.name} {queue.paused && <span className="tag">paused</span>}
            </td>
            <td className="number">{formatCount(queue.depth)}</td>
            <td className="number">{formatCount(queue.running)}</td>
            <td className="number">{queue.depth === 0 ? '–' : formatDuration(queue.oldestAgeMs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function WorkersCard() {
  const api = useApi()
  const refetchInterval = useRefetchInterval()
  const workers = useQuery({ ...workersQuery(api, shownRows), refetchInterval })
  return (
    <OverviewCard title="Workers" query={workers} skeleton={{ columns: 4 }}>
      {({ items, shared, totals, nextCursor }) => (
        <>
          <SharedWorkersLine shared={shared} />
          {items.length > 0 && <WorkerTable workers={items} />}
          {nextCursor && (
            <More of="workers">
              {formatCount(totals.active)} active, {formatCount(totals.lost)} lost.
            </More>
          )}
        </>
      )}
    </OverviewCard>
  )
}

function WorkerTable({ workers }: { workers: Body<'listWorkers'>['items'] }) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th className="grow">Worker</th>
          <th>State</th>
          <th className="number">Busy</th>
          <th className="number">Seen</th>
        </tr>
      </thead>
      <tbody>
        {workers.map((worker) => (
          <tr key={worker.id}>
            <td className="grow" title={worker.id}>
              {worker.name}
            </td>
            <td className={worker.state === 'lost' ? 'tone-failed' : undefined}>{worker.state}</td>
            <td className="number">
              {worker.running} / {worker.concurrency}
            </td>
            <td className="number">
              <Time at={worker.lastSeenAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
