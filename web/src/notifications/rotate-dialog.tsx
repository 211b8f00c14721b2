import { useState } from 'react'
import { read } from '../api/client'
import { FormDialog } from '../shell/form-dialog'
import { useAction } from '../shell/use-action'
import { SelectField } from '../ui/field'

interface RotateDialogProps {
  id: string
  onRotated: (secret: string) => void
  onClose: () => void
}

const graces: readonly [number, string][] = [
  [86_400, 'for a day, beside the new one'],
  [3_600, 'for an hour, beside the new one'],
  [0, 'no longer: it was leaked'],
]

export function RotateDialog({ id, onRotated, onClose }: RotateDialogProps) {
  const [graceSeconds, setGrace] = useState(86_400)
  const rotate = useAction({
    run: (api) =>
      read(
        api.client.POST('/api/v1/subscriptions/{id}/rotate-secret', {
          params: { path: { id } },
          body: { graceSeconds },
        }),
      ),
    touches: ['notifications'],
    onDone: ({ secret }) => onRotated(secret ?? ''),
  })
  return (
    <FormDialog
      title="Rotate the secret"
      action="Make a new secret"
      busy={rotate.isPending}
      error={rotate.error}
      onSubmit={() => rotate.mutate()}
      onClose={onClose}
    >
      <SelectField
        label="The old secret signs"
        value={graceSeconds}
        onChange={(event) => setGrace(Number(event.target.value))}
        hint="While both sign, a receiver that knows either accepts what is sent."
      >
        {graces.map(([seconds, words]) => (
          <option key={seconds} value={seconds}>
            {words}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  )
}
