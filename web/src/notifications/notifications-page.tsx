import { useState } from 'react'
import { useMay } from '../api/use-api'
import { PageHead } from '../shell/page-head'
import { useSearchState } from '../shell/use-search-state'
import { Button } from '../ui/button'
import { SecretOnce } from '../ui/secret-once'
import { Tabs } from '../ui/tabs'
import { Deliveries } from './deliveries'
import type { Subscription } from './notification-queries'
import { SubscriptionDialog } from './subscription-dialog'
import { SubscriptionList } from './subscription-list'
import './notifications.css'

const views = [
  { id: 'subscriptions', label: 'Subscriptions' },
  { id: 'deliveries', label: 'Deliveries' },
] as const

export function NotificationsPage() {
  const [search, change] = useSearchState()
  const view = views.find(({ id }) => id === search.view)?.id ?? 'subscriptions'
  const may = useMay('editor')
  const [creating, setCreating] = useState(false)
  const [secret, setSecret] = useState<string>()
  const create = (
    <Button
      look="primary"
      icon="plus"
      disabled={!may}
      title={may ? undefined : 'You need the role editor'}
      onClick={() => setCreating(true)}
    >
      New subscription
    </Button>
  )
  return (
    <>
      <PageHead title="Notifications" actions={create} />
      <div className="notifications-tabs">
        <Tabs
          label="View"
          items={views}
          selected={view}
          onSelect={(id) =>
            change({ view: id === 'subscriptions' ? undefined : id, status: undefined, delivery: undefined })
          }
        />
      </div>
      <div className="page-body notifications-body">
        {view === 'subscriptions' ? <SubscriptionList create={create} /> : <Deliveries />}
      </div>
      {creating && (
        <SubscriptionDialog
          onClose={() => setCreating(false)}
          onSaved={(saved: Subscription & { secret?: string }) => {
            setCreating(false)
            setSecret(saved.secret)
          }}
        />
      )}
      {secret && (
        <SecretOnce
          title="The webhook’s secret"
          value={secret}
          hint="The receiver verifies our signature with it. How, is on the subscription’s own page."
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  )
}
