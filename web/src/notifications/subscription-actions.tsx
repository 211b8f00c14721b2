import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../api/client'
import { useApi, useMay } from '../api/use-api'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { Menu, MenuItem } from '../ui/menu'
import { SecretOnce } from '../ui/secret-once'
import { useConfirm } from '../ui/use-confirm'
import type { Subscription } from './notification-queries'
import { RotateDialog } from './rotate-dialog'
import { SubscriptionDialog } from './subscription-dialog'

interface SubscriptionActionsProps {
  subscription: Subscription
  /** With the id of the delivery that the test made. */
  onTested: (delivery: string) => void
}

function useSubscriptionActions({ id }: Subscription, onTested: (delivery: string) => void) {
  const { project } = useApi()
  const navigate = useNavigate()
  const params = { path: { id } }
  const test = useAction({
    run: (api) => read(api.client.POST('/api/v1/subscriptions/{id}/test', { params })),
    done: 'A test is on its way',
    touches: ['live', 'notifications'],
    onDone: (delivery) => delivery.id && onTested(delivery.id),
  })
  const toggle = useAction<boolean>({
    run: (api, enabled) => read(api.client.PATCH('/api/v1/subscriptions/{id}', { params, body: { enabled } })),
    done: (_, enabled) => (enabled ? 'It is sent again' : 'Nothing more is sent'),
    touches: ['notifications'],
    optimistic: {
      queryKey: ['notifications', 'subscription', id],
      update: (old: Subscription, enabled) => ({ ...old, enabled, disabledReason: enabled ? null : 'by_request' }),
    },
  })
  const remove = useAction({
    run: (api) => read(api.client.DELETE('/api/v1/subscriptions/{id}', { params })),
    done: 'The subscription is deleted',
    touches: ['notifications', 'subscriptions'],
    onDone: () => void navigate({ to: '/p/$project/notifications', params: { project } }),
  })
  return { test, toggle, remove }
}

export function SubscriptionActions({ subscription, onTested }: SubscriptionActionsProps) {
  const may = useMay('editor')
  const { test, toggle, remove } = useSubscriptionActions(subscription, onTested)
  const [confirm, dialog] = useConfirm()
  const [open, setOpen] = useState<'edit' | 'rotate'>()
  const [secret, setSecret] = useState<string>()
  const { enabled } = subscription
  const common = { disabled: !may, title: may ? undefined : 'You need the role editor' }
  const askDelete = () =>
    confirm({
      title: 'Delete this subscription?',
      text: 'What waits to be sent is not sent. Its deliveries can no longer be seen.',
      action: 'Delete',
      onConfirm: () => remove.mutate(),
    })
  const askPause = () =>
    confirm({
      title: 'Pause this subscription?',
      text: 'Deliveries that wait for another attempt are given up; what happens meanwhile is not sent later.',
      action: 'Pause',
      onConfirm: () => toggle.mutate(false),
    })
  return (
    <>
      <Button look="primary" icon="play" {...common} busy={test.isPending} onClick={() => test.mutate()}>
        Send a test
      </Button>
      <Button
        icon={enabled ? 'pause' : 'play'}
        {...common}
        onClick={() => (enabled ? askPause() : toggle.mutate(true))}
      >
        {enabled ? 'Pause' : 'Resume'}
      </Button>
      <Button {...common} onClick={() => setOpen('edit')}>
        Edit
      </Button>
      <Menu align="end" trigger={<Button icon="more" aria-label="More actions" />}>
        <MenuItem disabled={!may || subscription.channel.type !== 'webhook'} onSelect={() => setOpen('rotate')}>
          Rotate the secret…
        </MenuItem>
        <MenuItem danger disabled={!may} onSelect={askDelete}>
          Delete…
        </MenuItem>
      </Menu>
      {dialog}
      {open === 'edit' && (
        <SubscriptionDialog
          subscription={subscription}
          onSaved={() => setOpen(undefined)}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open === 'rotate' && (
        <RotateDialog
          id={subscription.id}
          onRotated={(next) => {
            setOpen(undefined)
            setSecret(next)
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
      {secret && (
        <SecretOnce
          title="The webhook’s new secret"
          value={secret}
          hint="Give it to the receiver, which verifies our signature with it."
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  )
}
