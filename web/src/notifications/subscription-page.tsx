import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { PageHead } from '../shell/page-head'
import { useSearchState } from '../shell/use-search-state'
import { SkeletonRows } from '../ui/states'
import { Status } from '../ui/status'
import { Tabs } from '../ui/tabs'
import { addressOf, channelWord, offInWords, stateOf } from './channel-words'
import { Deliveries } from './deliveries'
import { type Subscription, subscriptionQuery } from './notification-queries'
import { SubscriptionActions } from './subscription-actions'
import { SubscriptionFacts } from './subscription-facts'
import { SubscriptionStatistics } from './subscription-statistics'
import { VerifySignature } from './verify-signature'
import './notifications.css'

const views = [
  { id: 'deliveries', label: 'Deliveries' },
  { id: 'statistics', label: 'Statistics' },
  { id: 'verify', label: 'Verify the signature' },
] as const

export function SubscriptionPage() {
  const { subscriptionId } = useParams({ strict: false }) as { subscriptionId: string }
  const subscription = useQuery(subscriptionQuery(useApi(), subscriptionId))
  if (subscription.isPending) return <SkeletonRows rows={8} columns={4} />
  if (!subscription.data) return <ErrorNotice error={subscription.error} onRetry={() => void subscription.refetch()} />
  return <SubscriptionView subscription={subscription.data} />
}

function SubscriptionView({ subscription }: { subscription: Subscription }) {
  const { project } = useApi()
  const [search, change] = useSearchState()
  const shown = views.filter(({ id }) => id !== 'verify' || subscription.channel.type === 'webhook')
  const view = shown.find(({ id }) => id === search.view)?.id ?? 'deliveries'
  const off = offInWords(subscription)
  return (
    <>
      <PageHead
        title={`${channelWord(subscription)} to ${addressOf(subscription)}`}
        above={
          <Link to="/p/$project/notifications" params={{ project }}>
            Notifications
          </Link>
        }
        beside={<Status status={stateOf(subscription)} />}
        actions={<SubscriptionActions subscription={subscription} onTested={(delivery) => change({ delivery })} />}
      >
        {off && <div className="banner banner-warn">Nothing is sent: this subscription is {off}.</div>}
        <SubscriptionFacts subscription={subscription} />
      </PageHead>
      <div className="notifications-tabs">
        <Tabs
          label="View"
          items={shown}
          selected={view}
          onSelect={(id) => change({ view: id === 'deliveries' ? undefined : id })}
        />
      </div>
      <div className="page-body notifications-body">
        {view === 'deliveries' && <Deliveries subscription={subscription.id} />}
        {view === 'statistics' && <SubscriptionStatistics id={subscription.id} />}
        {view === 'verify' && <VerifySignature id={subscription.id} />}
      </div>
    </>
  )
}
