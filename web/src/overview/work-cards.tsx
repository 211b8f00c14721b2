import { useQuery } from '@tanstack/react-query'
import { useRefetchInterval } from '../api/live'
import type { Body } from '../api/types'
import { useApi } from '../api/use-api'
import { formatCount, formatDuration } from '../ui/format'
import { Time } from '../ui/time'
import { SharedWorkersLine } from '../workers/shared-workers'
import { Nothing, OverviewCard } from './overview-card'
import { queuesQuery, workersQuery } from './overview-queries'

export function QueuesCard() {
  const api = useApi()
  const refetchInterval = useRefetchInterval()
  const queues = useQuery({ ...queuesQuery(api), refetchInterval })
  return (
    <OverviewCard title="Queues" query={queues} skeleton={{ columns: 4 }}>
      {({ items }) =>
        items.length === 0 ? (
          <Nothing>No queues yet: one comes into being with the first task that names it.</Nothing>
        ) : (
          <QueueRows queues={items.toSorted((a, b) => b.depth - a.depth)} />
        )
      }
    </OverviewCard>
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
        {queues.slice(0, 8).map((queue) => (
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
  const workers = useQuery({ ...workersQuery(api), refetchInterval })
  return (
    <OverviewCard title="Workers" query={workers} skeleton={{ columns: 4 }}>
      {({ items, shared }) => (
        <>
          <SharedWorkersLine shared={shared} />
          {items.length > 0 && <WorkerTable workers={items} />}
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
        {workers.slice(0, 8).map((worker) => (
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
