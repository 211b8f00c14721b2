import { useState } from 'react'
import { read } from '../api/client'
import { FormDialog } from '../shell/form-dialog'
import { useAction } from '../shell/use-action'
import { AreaField, TextField } from '../ui/field'

/** Sets the value of one secret. With an empty `name` it is a new one. */
export function SecretDialog({ name: given, onClose }: { name: string; onClose: () => void }) {
  const [name, setName] = useState(given)
  const [value, setValue] = useState('')
  const save = useAction({
    run: (api) =>
      read(api.client.PUT('/api/v1/secrets/{name}', { params: { path: { name: name.trim() } }, body: { value } })),
    done: `The secret ${name.trim()} is set`,
    touches: ['settings', 'secrets'],
    onDone: onClose,
  })
  return (
    <FormDialog
      title={given ? `Set the value of ${given}` : 'Add a secret'}
      action="Set the secret"
      busy={save.isPending}
      error={save.error}
      disabled={name.trim() === '' || value === ''}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {given === '' && (
        <TextField
          label="Name"
          required
          autoFocus
          maxLength={63}
          value={name}
          onChange={(event) => setName(event.target.value)}
          hint="Letters, digits and _, not a digit first."
        />
      )}
      <AreaField
        label="Value"
        required
        rows={4}
        autoComplete="off"
        spellCheck={false}
        autoFocus={given !== ''}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        hint="Used by the next task that reads it. It is not shown again."
      />
    </FormDialog>
  )
}
