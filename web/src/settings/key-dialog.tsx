import { useState } from 'react'
import { read } from '../api/client'
import { FormDialog } from '../shell/form-dialog'
import { useAction } from '../shell/use-action'
import { SelectField, TextField } from '../ui/field'
import { type KeyRole, keyRoles, RoleField } from './role-field'
import type { ServiceAccount } from './settings-queries'

interface KeyDialogProps {
  accounts: readonly ServiceAccount[]
  onMade: (key: string) => void
  onClose: () => void
}

const days = [30, 90, 365] as const
const dayMs = 86_400_000

export function KeyDialog({ accounts, onMade, onClose }: KeyDialogProps) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<KeyRole>('operator')
  const [lifetime, setLifetime] = useState('90')
  const [account, setAccount] = useState('')
  const create = useAction({
    run: (api) => {
      const expiresAt = new Date(Date.now() + Number(lifetime) * dayMs).toISOString()
      const body = {
        name: name.trim(),
        role,
        ...(lifetime === '' ? {} : { expiresAt }),
        ...(account === '' ? {} : { serviceAccountId: account }),
      }
      return read(api.client.POST('/api/v1/api-keys', { body }))
    },
    touches: ['settings', 'api-keys'],
    onDone: ({ key }) => onMade(key ?? ''),
  })
  return (
    <FormDialog
      title="Create an API key"
      action="Create the key"
      busy={create.isPending}
      error={create.error}
      disabled={name.trim() === ''}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        autoFocus
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
        hint="What uses it, so that it can be found again."
      />
      <RoleField roles={keyRoles} value={role} onChange={setRole} />
      <div className="form-pair">
        <SelectField label="Ends" value={lifetime} onChange={(event) => setLifetime(event.target.value)}>
          {days.map((each) => (
            <option key={each} value={each}>
              in {each} days
            </option>
          ))}
          <option value="">never</option>
        </SelectField>
        <SelectField label="Belongs to" value={account} onChange={(event) => setAccount(event.target.value)}>
          <option value="">me</option>
          {accounts.map(({ id, name: each }) => (
            <option key={id} value={id}>
              {each}
            </option>
          ))}
        </SelectField>
      </div>
    </FormDialog>
  )
}
