import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import { useApi } from '../api/use-api'
import { PageHead } from '../shell/page-head'
import { PagedList } from '../shell/paged-list'
import { useSearchState } from '../shell/use-search-state'
import { formatCount, plural } from '../ui/format'
import { Notice } from '../ui/states'
import { OpenCircuits } from './open-circuits'
import { QueueDialog } from './queue-dialog'
import { QueueTable } from './queue-table'
import { SharedWorkersLine } from './shared-workers'
import { WorkerJobs } from './worker-jobs'
import { queuesQuery, workersQuery } from './worker-queries'
import { WorkerTable } from './worker-table'
import './workers.css'

export function WorkersPage() {
  return (
    <>
      <PageHead title="Workers and queues" />
      <div className="page-body workers-body">
        <Queues />
        <Workers />
      </div>
    </>
  )
}

function Queues() {
  const [search, change] = useSearchState()
  const refetchInterval = useRefetchInterval()
  const list = useInfiniteQuery({ ...queuesQuery(useApi()), refetchInterval })
  const queues = list.data?.pages.flatMap(({ items }) => items) ?? []
  const edited = queues.find(({ name }) => name === search.queue)
  const [first] = list.data?.pages ?? []
  const empty = (
    <Notice icon="workers" title="No queues yet">
      <p>
        A queue comes into being with the first task that names it; tasks that name none go to <code>default</code>.
      </p>
    </Notice>
  )
  return (
    <section aria-label="Queues">
      <div className="workers-head">
        <h2>Queues</h2>
        {first && <span className="muted">{plural(first.waiting, 'task')} waiting</span>}
      </div>
      <PagedList list={list} columns={7} empty={empty}>
        {(items) => <QueueTable queues={items} onEdit={(name) => change({ queue: name })} />}
      </PagedList>
      {edited && <QueueDialog key={edited.name} queue={edited} onClose={() => change({ queue: undefined })} />}
    </section>
  )
}

function Workers() {
  const [search, change] = useSearchState()
  const refetchInterval = useRefetchInterval()
  const api = useApi()
  const list = useInfiniteQuery({ ...workersQuery(api), refetchInterval })
  const workers = list.data?.pages.flatMap(({ items }) => items) ?? []
  const { shared, totals } = list.data?.pages[0] ?? {}
  const chosen = workers.find(({ id }) => id === search.worker)
  const empty = (
    <Notice
      icon="workers"
      title="No workers of this project’s own"
      actions={
        <Link className="button" to="/p/$project/settings" params={{ project: api.project }} search={{ view: 'keys' }}>
          Create a worker’s key
        </Link>
      }
    >
      <p>
        The platform’s shared workers execute the built-in tasks. A worker of yours adds functions of your own: it signs
        in with an API key of the role worker.
      </p>
    </Notice>
  )
  return (
    <>
      <section aria-label="Workers">
        <div className="workers-head">
          <h2>Workers</h2>
          {totals && workers.length > 0 && (
            <span className="muted">
              {formatCount(totals.active)} active, {formatCount(totals.used)} of {plural(totals.slots, 'slot')} used
              {totals.lost > 0 && `, ${formatCount(totals.lost)} lost`}
            </span>
          )}
        </div>
        {shared && <SharedWorkersLine shared={shared} />}
        <PagedList list={list} columns={7} empty={empty}>
          {(items) => (
            <WorkerTable
              workers={items}
              chosen={search.worker}
              onChoose={(id) => change({ worker: id === search.worker ? undefined : id })}
            />
          )}
        </PagedList>
        {chosen && <WorkerJobs worker={chosen} onClose={() => change({ worker: undefined })} />}
      </section>
      {list.data && <OpenCircuits workers={workers} />}
    </>
  )
}
