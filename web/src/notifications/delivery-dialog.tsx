import { useQuery } from '@tanstack/react-query'
import { read } from '../api/client'
import { useApi, useMay } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { FormError } from '../shell/form-dialog'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { CopyId } from '../ui/copy'
import { Dialog } from '../ui/dialog'
import { formatDuration } from '../ui/format'
import { Json } from '../ui/json'
import { SkeletonRows } from '../ui/states'
import { Status } from '../ui/status'
import { Time } from '../ui/time'
import { type DeliveryAttempt, type DeliveryDetail, deliveryQuery } from './notification-queries'

/** One delivery: what was sent, each attempt with its answer, and sending it again. */
export function DeliveryDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const delivery = useQuery(deliveryQuery(useApi(), id))
  return (
    <Dialog title="Delivery" wide onClose={onClose}>
      {delivery.isPending && <SkeletonRows rows={4} columns={3} />}
      {delivery.isError && !delivery.data && (
        <ErrorNotice error={delivery.error} onRetry={() => void delivery.refetch()} />
      )}
      {delivery.data && <DeliveryView delivery={delivery.data} />}
    </Dialog>
  )
}

function DeliveryView({ delivery }: { delivery: DeliveryDetail }) {
  const may = useMay('operator')
  const redeliver = useAction({
    run: (api) =>
      read(api.client.POST('/api/v1/notifications/{id}/redeliver', { params: { path: { id: delivery.id } } })),
    touches: ['live', 'notifications'],
  })
  return (
    <>
      <div className="notifications-delivery">
        <Status status={delivery.status} />
        <code>{delivery.type}</code>
        <CopyId id={delivery.id} />
        <Button
          icon="retry"
          busy={redeliver.isPending}
          disabled={!may || delivery.status === 'pending'}
          title={may ? undefined : 'You need the role operator'}
          onClick={() => redeliver.mutate()}
        >
          Deliver again
        </Button>
      </div>
      {delivery.reason && <div className="banner banner-warn">{delivery.reason}</div>}
      <FormError error={redeliver.error} />
      <h3>Attempts</h3>
      {delivery.attempts.length === 0 && <p className="muted">None has ended yet.</p>}
      <ol className="notifications-attempts">
        {(delivery.attempts as DeliveryAttempt[]).map((attempt, index) => (
          <AttemptView key={attempt.at} attempt={attempt} number={index + 1} />
        ))}
      </ol>
      <h3>What is sent</h3>
      <Json value={delivery.payload} label="Payload" />
    </>
  )
}

function AttemptView({ attempt, number }: { attempt: DeliveryAttempt; number: number }) {
  // Mail has no status: it was accepted unless there is an error.
  const good = attempt.error === null && (attempt.statusCode ?? 200) < 300
  const unanswered = attempt.error === null ? 'accepted' : 'no answer'
  return (
    <li className="notifications-attempt">
      <div className="notifications-delivery">
        <span className="muted">{number}.</span>
        <Status status={good ? 'delivered' : 'failed'} />
        <span>{attempt.statusCode === null ? unanswered : `answered ${attempt.statusCode}`}</span>
        <span className="muted">after {formatDuration(attempt.latencyMs)}</span>
        <Time at={attempt.at} />
      </div>
      {attempt.error && <p className="tone-failed">{attempt.error}</p>}
      {attempt.responseSnippet && <pre className="json">{attempt.responseSnippet}</pre>}
    </li>
  )
}
