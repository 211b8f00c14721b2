import { useState } from 'react'
import { read } from '../api/client'
import type { DeadLetter } from '../api/types'
import { useMay } from '../api/use-api'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { Confirm } from '../ui/dialog'
import { AreaField } from '../ui/field'
import { parseJson } from '../ui/parse-json'
import { deleteDeadLetter } from './dead-letter-queries'

/** Shown at once; a refusal takes it back with the reason. */
const becomes = (id: string, state: DeadLetter['state']) => ({
  queryKey: ['dead-letter', id],
  update: (old: DeadLetter): DeadLetter => ({ ...old, state }),
})

export function RetryForm({ deadLetter }: { deadLetter: DeadLetter }) {
  const { id } = deadLetter
  const may = useMay('operator')
  const before = JSON.stringify(deadLetter.input ?? null, null, 2)
  const [text, setText] = useState(before)
  const [asking, setAsking] = useState(false)
  const parsed = parseJson(text)
  const edited = text !== before
  const retry = useAction({
    run: (api) =>
      read(
        api.client.POST('/api/v1/dlq/{id}/retry', {
          params: { path: { id } },
          body: edited ? { input: parsed.value } : {},
        }),
      ),
    done: 'The task runs again',
    optimistic: becomes(id, 'retried'),
  })
  const remove = useAction({
    run: (api) => deleteDeadLetter(api, id),
    done: 'Deleted',
    optimistic: becomes(id, 'deleted'),
  })
  const why = may ? undefined : 'You need the role operator'
  return (
    <div className="dead-letter-stack">
      <AreaField
        label="What the task is given"
        rows={Math.min(20, Math.max(6, before.split('\n').length + 1))}
        spellCheck={false}
        readOnly={!may}
        value={text}
        error={parsed.fault}
        hint={
          edited
            ? 'Edited: it replaces what the task was given, in this run alone.'
            : 'The resolved with of the task. Unchanged, the retry is given the same.'
        }
        onChange={(event) => setText(event.target.value)}
      />
      <div className="dead-letter-actions">
        <Button
          look="primary"
          icon="retry"
          title={why}
          disabled={!may || parsed.fault !== undefined}
          busy={retry.isPending}
          onClick={() => retry.mutate()}
        >
          {edited ? 'Retry with the edited input' : 'Retry'}
        </Button>
        {edited && <Button onClick={() => setText(before)}>Undo the edit</Button>}
        <Button look="danger" title={why} disabled={!may} onClick={() => setAsking(true)}>
          Delete
        </Button>
        {!may && <span className="muted">You need the role operator to retry or delete.</span>}
      </div>
      {asking && (
        <Confirm
          title="Delete this dead letter?"
          action="Delete it"
          danger
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false)
            remove.mutate()
          }}
        >
          <p>It cannot be retried afterwards. Its run stays as it is, and can be rerun.</p>
        </Confirm>
      )}
    </div>
  )
}
