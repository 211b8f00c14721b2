import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useApi } from '../api/use-api'
import { PagedList } from '../shell/paged-list'
import { Notice } from '../ui/states'
import { Status } from '../ui/status'
import { Table } from '../ui/table'
import { Time } from '../ui/time'
import { useListCursor } from '../ui/use-list-cursor'
import { addressOf, channelWord, filterInWords, offInWords, stateOf } from './channel-words'
import { type Subscription, subscriptionsQuery } from './notification-queries'

export function SubscriptionList({ create }: { create: ReactNode }) {
  const list = useInfiniteQuery(subscriptionsQuery(useApi()))
  const empty = (
    <Notice icon="notifications" title="Nobody is notified yet" actions={create}>
      <p>
        A subscription sends what happens here, such as a failed run or a wanted approval, to a webhook, by email or to
        Slack.
      </p>
    </Notice>
  )
  return (
    <PagedList list={list} columns={5} empty={empty}>
      {(subscriptions) => <SubscriptionTable subscriptions={subscriptions} />}
    </PagedList>
  )
}

function SubscriptionTable({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  const { project } = useApi()
  const navigate = useNavigate()
  const to = '/p/$project/notifications/$subscriptionId'
  const open = (index: number) => {
    const subscriptionId = subscriptions[index]?.id
    if (subscriptionId) void navigate({ to, params: { project, subscriptionId } })
  }
  const at = useListCursor({ count: subscriptions.length, onOpen: open })
  return (
    <Table columns={['State', 'Channel', ['Sends to', 'grow'], 'Events', 'Of', ['Created', 'number']]}>
      {subscriptions.map((subscription, index) => (
        <tr key={subscription.id} data-row={index} data-active={index === at}>
          <td title={offInWords(subscription)}>
            <Status status={stateOf(subscription)} />
          </td>
          <td>{channelWord(subscription)}</td>
          <td className="grow">
            <Link to={to} params={{ project, subscriptionId: subscription.id }} title={addressOf(subscription)}>
              {addressOf(subscription)}
            </Link>
          </td>
          <td className="notifications-events" title={subscription.events.join(', ')}>
            {subscription.events.join(', ')}
          </td>
          <td className="notifications-events" title={filterInWords(subscription)}>
            {filterInWords(subscription)}
          </td>
          <td className="number">
            <Time at={subscription.createdAt} />
          </td>
        </tr>
      ))}
    </Table>
  )
}
