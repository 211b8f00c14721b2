import { useState } from 'react'
import { read } from '../api/client'
import { FormDialog } from '../shell/form-dialog'
import { useAction } from '../shell/use-action'
import { SelectField, TextField } from '../ui/field'
import { changeOf, draftOf, faultsOf, type QueueDraft } from './queue-form'
import { type Queue, queuesKey } from './worker-queries'

const profiles: readonly [string, string][] = [
  ['', 'None'],
  ['latency', 'Latency: for people and short tasks'],
  ['throughput', 'Throughput: many short tasks at a time'],
  ['batch', 'Batch: long tasks by the thousand'],
]

export function QueueDialog({ queue, onClose }: { queue: Queue; onClose: () => void }) {
  const [opened] = useState(queue)
  const [draft, setDraft] = useState(() => draftOf(queue))
  const faults = faultsOf(draft)
  const change = changeOf(opened, draft)
  const save = useAction({
    run: (api) =>
      read(api.client.PATCH('/api/v1/queues/{name}', { params: { path: { name: queue.name } }, body: change })),
    done: `${queue.name} is changed; workers follow within 5 seconds`,
    touches: queuesKey,
    onDone: onClose,
  })
  const field = (name: keyof QueueDraft) => ({
    value: draft[name],
    error: faults[name],
    onChange: (event: { target: { value: string } }) => setDraft((old) => ({ ...old, [name]: event.target.value })),
  })
  return (
    <FormDialog
      title={`Settings of ${queue.name}`}
      action="Save"
      busy={save.isPending}
      error={save.error}
      disabled={Object.keys(faults).length > 0 || Object.keys(change).length === 0}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <div className="form-pair">
        <TextField label="Running at once" inputMode="numeric" placeholder="no limit" {...field('concurrency')} />
        <TextField label="Weight" inputMode="decimal" placeholder="shared" {...field('weight')} />
      </div>
      <div className="form-pair">
        <TextField label="Starts" inputMode="numeric" placeholder="no limit" {...field('rateLimit')} />
        <TextField label="per" {...field('ratePer')} />
      </div>
      <SelectField label="Profile" {...field('profile')}>
        {profiles.map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </SelectField>
      <div className="form-pair">
        <TextField label="Default timeout" placeholder="none" {...field('timeout')} />
        <TextField label="Default attempts" inputMode="numeric" placeholder="3" {...field('maxAttempts')} />
      </div>
      <p className="muted">
        Weight is this queue’s share beside the project’s other queues. Defaults are for tasks that say nothing
        themselves, in runs started from now on.
      </p>
    </FormDialog>
  )
}
