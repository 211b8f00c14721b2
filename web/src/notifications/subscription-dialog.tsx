import { useState } from 'react'
import { read } from '../api/client'
import { FormDialog } from '../shell/form-dialog'
import { useAction } from '../shell/use-action'
import { AreaField, SelectField, TextField } from '../ui/field'
import type { Subscription } from './notification-queries'
import { SubscriptionEvents } from './subscription-events'
import { bodyOf, type ChannelType, draftOf, emptyDraft, faultsOf, updateOf } from './subscription-form'

interface SubscriptionDialogProps {
  /** Absent: a new one. */
  subscription?: Subscription
  onSaved: (saved: Subscription & { secret?: string }) => void
  onClose: () => void
}

const channels: readonly [ChannelType, string][] = [
  ['webhook', 'Webhook: a signed request to your server'],
  ['email', 'Email'],
  ['slack', 'Slack: an incoming webhook'],
]

export function SubscriptionDialog({ subscription, onSaved, onClose }: SubscriptionDialogProps) {
  const [draft, setDraft] = useState(subscription ? draftOf(subscription) : emptyDraft)
  const [touched, setTouched] = useState(false)
  const change = (next: Partial<typeof draft>) => setDraft((old) => ({ ...old, ...next }))
  const faults = faultsOf(draft)
  const shown = touched ? faults : {}
  const save = useAction({
    run: (api) =>
      (subscription
        ? read(
            api.client.PATCH('/api/v1/subscriptions/{id}', {
              params: { path: { id: subscription.id } },
              body: updateOf(draft),
            }),
          )
        : read(api.client.POST('/api/v1/subscriptions', { body: bodyOf(draft) }))) as Promise<
        Subscription & { secret?: string }
      >,
    done: subscription ? 'The subscription is changed' : 'The subscription is created: send it a test next',
    touches: ['notifications'],
    onDone: onSaved,
  })
  return (
    <FormDialog
      title={subscription ? 'Change the subscription' : 'New subscription'}
      action={subscription ? 'Save' : 'Create'}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => {
        setTouched(true)
        if (Object.keys(faults).length === 0) save.mutate()
      }}
      onClose={onClose}
    >
      <SelectField
        label="Channel"
        value={draft.type}
        disabled={subscription !== undefined}
        onChange={(event) => change({ type: event.target.value as ChannelType })}
      >
        {channels.map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </SelectField>
      <ChannelFields draft={draft} faults={shown} onChange={change} />
      <SubscriptionEvents draft={draft} faults={shown} onChange={change} />
    </FormDialog>
  )
}

interface PartProps {
  draft: typeof emptyDraft
  faults: ReturnType<typeof faultsOf>
  onChange: (next: Partial<typeof emptyDraft>) => void
}

function ChannelFields({ draft, faults, onChange }: PartProps) {
  if (draft.type === 'email') {
    return (
      <>
        <AreaField
          label="Addresses"
          rows={2}
          value={draft.to}
          error={faults.to}
          hint="One a line."
          onChange={(event) => onChange({ to: event.target.value })}
        />
        <SelectField label="Send" value={draft.digest} onChange={(event) => onChange({ digest: event.target.value })}>
          <option value="">each event at once</option>
          {['15m', '1h', '1d', ...(['', '15m', '1h', '1d'].includes(draft.digest) ? [] : [draft.digest])].map(
            (every) => (
              <option key={every} value={every}>
                one mail for all that happens within {every}
              </option>
            ),
          )}
        </SelectField>
      </>
    )
  }
  return (
    <>
      <TextField
        label="URL"
        type="url"
        placeholder={draft.type === 'slack' ? 'https://hooks.slack.com/services/…' : 'https://…'}
        value={draft.url}
        error={faults.url}
        onChange={(event) => onChange({ url: event.target.value })}
      />
      {draft.type === 'webhook' && (
        <AreaField
          label="Headers"
          rows={2}
          placeholder="Authorization: Bearer …"
          value={draft.headers}
          error={faults.headers}
          hint="One a line, if the receiver wants any. Values that look like credentials are shown as asterisks afterwards."
          onChange={(event) => onChange({ headers: event.target.value })}
        />
      )}
    </>
  )
}
