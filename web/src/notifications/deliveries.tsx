import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import { useApi } from '../api/use-api'
import { PagedList } from '../shell/paged-list'
import { useSearchState } from '../shell/use-search-state'
import { CopyId } from '../ui/copy'
import { FilterChips } from '../ui/filter-chips'
import { Notice } from '../ui/states'
import { Status } from '../ui/status'
import { SteadyRows } from '../ui/steady-rows'
import { Table } from '../ui/table'
import { Time } from '../ui/time'
import { useListCursor } from '../ui/use-list-cursor'
import { DeliveryDialog } from './delivery-dialog'
import { type Delivery, deliveriesQuery, deliveryStatuses } from './notification-queries'

/** What was sent, or is about to be; of one subscription, or of all. */
export function Deliveries({ subscription }: { subscription?: string }) {
  const [search, change] = useSearchState()
  const refetchInterval = useRefetchInterval()
  const given = (search.status ?? '').split(',')
  const status = deliveryStatuses.filter((each) => given.includes(each))
  const filter = { status, ...(subscription === undefined ? {} : { subscription }) }
  const list = useInfiniteQuery({
    ...deliveriesQuery(useApi(), filter),
    refetchInterval,
    placeholderData: (old) => old,
  })
  const toggle = (pressed: string) => {
    const next = deliveryStatuses.filter((each) => (each === pressed) !== status.includes(each))
    change({ status: next.join(',') || undefined })
  }
  const empty = (
    <Notice icon="notifications" title={status.length > 0 ? 'No delivery is like this' : 'Nothing was sent yet'}>
      <p>A delivery appears when something happens that a subscription asks for. “Send a test” makes one at once.</p>
    </Notice>
  )
  return (
    <section aria-label="Deliveries">
      <div className="filters notifications-filters">
        <FilterChips label="Status" statuses={deliveryStatuses} chosen={status} onToggle={toggle} />
      </div>
      <PagedList list={list} columns={6} more="Older deliveries" empty={empty}>
        {(deliveries) => (
          <SteadyRows key={status.join()} items={deliveries}>
            {(shown) => (
              <DeliveryTable
                deliveries={shown}
                withSubscription={subscription === undefined}
                onOpen={(delivery) => change({ delivery })}
              />
            )}
          </SteadyRows>
        )}
      </PagedList>
      {search.delivery && <DeliveryDialog id={search.delivery} onClose={() => change({ delivery: undefined })} />}
    </section>
  )
}

interface DeliveryTableProps {
  deliveries: readonly Delivery[]
  withSubscription: boolean
  onOpen: (id: string) => void
}

function DeliveryTable({ deliveries, withSubscription, onOpen }: DeliveryTableProps) {
  const at = useListCursor({
    count: deliveries.length,
    onOpen: (index) => deliveries[index] && onOpen(deliveries[index].id),
  })
  return (
    <Table
      columns={[
        'Status',
        ['Event', 'grow'],
        'Run',
        ...(withSubscription ? ['Subscription'] : []),
        ['Attempts', 'number'],
        ['Next attempt', 'number'],
        ['Created', 'number'],
      ]}
    >
      {deliveries.map((delivery, index) => (
        <tr key={delivery.id} data-row={index} data-active={index === at}>
          <DeliveryCells delivery={delivery} withSubscription={withSubscription} onOpen={onOpen} />
        </tr>
      ))}
    </Table>
  )
}

interface DeliveryCellsProps {
  delivery: Delivery
  withSubscription: boolean
  onOpen: (id: string) => void
}

function DeliveryCells({ delivery, withSubscription, onOpen }: DeliveryCellsProps) {
  const { project } = useApi()
  return (
    <>
      <td>
        <Status status={delivery.status} />
      </td>
      <td className="grow">
        <button type="button" className="notifications-open" onClick={() => onOpen(delivery.id)}>
          {delivery.type}
        </button>
        {delivery.reason && <span className="muted"> {delivery.reason}</span>}
      </td>
      <td>
        {delivery.runId ? (
          <Link to="/p/$project/runs/$runId" params={{ project, runId: delivery.runId }}>
            {delivery.runId.slice(-8)}
          </Link>
        ) : (
          '–'
        )}
      </td>
      {withSubscription && (
        <td>
          <CopyId id={delivery.subscriptionId} />
        </td>
      )}
      <td className="number">{delivery.attemptCount}</td>
      <td className="number">
        <Time at={delivery.nextAttemptAt} />
      </td>
      <td className="number">
        <Time at={delivery.createdAt} />
      </td>
    </>
  )
}
