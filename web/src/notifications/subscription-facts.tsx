import { CopyId } from '../ui/copy'
import { addressOf, channelWord, filterInWords } from './channel-words'
import type { Subscription } from './notification-queries'

export function SubscriptionFacts({ subscription }: { subscription: Subscription }) {
  return (
    <dl className="facts">
      <dt>Sends to</dt>
      <dd>
        {channelWord(subscription)}: {addressOf(subscription)}
      </dd>
      <dt>Events</dt>
      <dd>{subscription.events.join(', ')}</dd>
      <dt>Of</dt>
      <dd>{filterInWords(subscription)}</dd>
      {subscription.digest && (
        <>
          <dt>Collected for</dt>
          <dd>{subscription.digest.every}</dd>
        </>
      )}
      <dt>Id</dt>
      <dd>
        <CopyId id={subscription.id} whole />
      </dd>
    </dl>
  )
}
