import { useQuery } from '@tanstack/react-query'
import { useRefetchInterval } from '../api/live'
import type { Body } from '../api/types'
import { useApi } from '../api/use-api'
import { formatCount, formatDuration } from '../ui/format'
import { Time } from '../ui/time'
import { queuesQuery, workersQuery } from './overview-queries'

export function QueuesCard() {
  const api = useApi()
  const refetchInterval = useRefetchInterval()
  const queues = useQuery({ ...queuesQuery(api), refetchInterval })
  const items = (queues.data?.items ?? []).toSorted((a, b) => b.depth - a.depth)
  return (
    <section className="card" aria-label="Queues">
      <div className="card-head">
        <h2>Queues</h2>
      </div>
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
          {items.slice(0, 8).map((queue) => (
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
    </section>
  )
}

export function WorkersCard() {
  const api = useApi()
  const refetchInterval = useRefetchInterval()
  const workers = useQuery({ ...workersQuery(api), refetchInterval })
  const items = workers.data?.items ?? []
  return (
    <section className="card" aria-label="Workers">
      <div className="card-head">
        <h2>Workers</h2>
        <span className="muted">
          {items.length > 0 && `${items.filter(({ state }) => state === 'active').length} active`}
        </span>
      </div>
      {workers.isSuccess && items.length === 0 && (
        <p className="muted overview-none">None of this project’s own: the platform’s shared workers do its work.</p>
      )}
      {items.length > 0 && <WorkerTable workers={items} />}
    </section>
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
