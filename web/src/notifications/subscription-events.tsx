import { AreaField, TextField } from '../ui/field'
import { endStatuses, eventTypes, type faultsOf, type SubscriptionDraft } from './subscription-form'

interface SubscriptionEventsProps {
  draft: SubscriptionDraft
  faults: ReturnType<typeof faultsOf>
  onChange: (next: Partial<SubscriptionDraft>) => void
}

/** In the order of `all`, so that the same choice is the same list. */
const toggled = <T,>(all: readonly T[], chosen: readonly T[], pressed: T): T[] =>
  all.filter((each) => (each === pressed ? !chosen.includes(each) : chosen.includes(each)))

/** What is notified of, and of which runs. */
export function SubscriptionEvents({ draft, faults, onChange }: SubscriptionEventsProps) {
  const all = eventTypes.map(([id]) => id)
  return (
    <>
      <fieldset className="notifications-group">
        <legend className="field-label">Events</legend>
        {eventTypes.map(([id, words]) => (
          <label key={id} className="form-check">
            <input
              type="checkbox"
              checked={draft.events.includes(id)}
              onChange={() => onChange({ events: toggled(all, draft.events, id) })}
            />
            {words} <code className="muted">{id}</code>
          </label>
        ))}
        {faults.events && (
          <div className="field-error" role="alert">
            {faults.events}
          </div>
        )}
      </fieldset>
      <fieldset className="notifications-group">
        <legend className="field-label">Only for</legend>
        <TextField
          label="Workflow"
          placeholder="every workflow"
          value={draft.workflow}
          onChange={(event) => onChange({ workflow: event.target.value })}
        />
        <div className="notifications-checks">
          {endStatuses.map((status) => (
            <label key={status} className="form-check">
              <input
                type="checkbox"
                checked={draft.status.includes(status)}
                onChange={() => onChange({ status: toggled(endStatuses, draft.status, status) })}
              />
              {status}
            </label>
          ))}
        </div>
        <AreaField
          label="Labels"
          rows={2}
          placeholder="team=shop"
          value={draft.labels}
          error={faults.labels}
          hint="One a line; a run must have all of them."
          onChange={(event) => onChange({ labels: event.target.value })}
        />
      </fieldset>
    </>
  )
}
