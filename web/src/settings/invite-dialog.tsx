import { useState } from 'react'
import { read } from '../api/client'
import { FormDialog } from '../shell/form-dialog'
import { useAction } from '../shell/use-action'
import { TextField } from '../ui/field'
import { type MemberRole, memberRoles, RoleField } from './role-field'

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<MemberRole>('operator')
  const invite = useAction({
    run: (api) =>
      read(
        api.client.POST('/api/v1/projects/{slug}/invitations', {
          params: { path: { slug: api.project } },
          body: { email: email.trim(), role },
        }),
      ),
    done: `An invitation is on its way to ${email.trim()}`,
    touches: ['settings', 'invitations'],
    onDone: onClose,
  })
  return (
    <FormDialog
      title="Invite somebody"
      action="Send the invitation"
      busy={invite.isPending}
      error={invite.error}
      disabled={email.trim() === ''}
      onSubmit={() => invite.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Email"
        type="email"
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        hint="A link is sent there. They become a member when they open it and are signed in with this address."
      />
      <RoleField roles={memberRoles} value={role} onChange={setRole} />
    </FormDialog>
  )
}
