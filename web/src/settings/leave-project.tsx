import { useState } from 'react'
import { read } from '../api/client'
import { useApi } from '../api/use-api'
import { FormDialog } from '../shell/form-dialog'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { ConfirmButton } from '../ui/confirm-button'
import { TextField } from '../ui/field'
import { useMayManage } from './members'
import { Section } from './section'

/** The project is no longer the caller's: begin again, with nothing of it in memory. */
const beginAgain = () => location.assign('/')

export function LeaveProject() {
  const { project } = useApi()
  const may = useMayManage()
  const [deleting, setDeleting] = useState(false)
  const leave = useAction({
    run: (api) => read(api.client.POST('/api/v1/projects/{slug}/leave', { params: { path: { slug: project } } })),
    touches: ['settings'],
    onDone: beginAgain,
  })
  return (
    <Section title="Leave or delete" about="The last owner of a project cannot leave it.">
      <div className="settings-actions">
        <ConfirmButton
          title={`Leave ${project}?`}
          text="You lose access at once, and API keys that you made stop working. An owner can invite you again."
          action="Leave the project"
          small={false}
          busy={leave.isPending}
          onConfirm={() => leave.mutate()}
        />
        <Button
          look="danger"
          disabled={!may}
          title={may ? undefined : 'You need the role owner'}
          onClick={() => setDeleting(true)}
        >
          Delete the project
        </Button>
      </div>
      {deleting && <DeleteDialog onClose={() => setDeleting(false)} />}
    </Section>
  )
}

function DeleteDialog({ onClose }: { onClose: () => void }) {
  const { project } = useApi()
  const [typed, setTyped] = useState('')
  const remove = useAction({
    run: (api) => read(api.client.DELETE('/api/v1/projects/{slug}', { params: { path: { slug: project } } })),
    touches: ['settings'],
    onDone: beginAgain,
  })
  return (
    <FormDialog
      title={`Delete ${project}?`}
      action="Delete everything"
      busy={remove.isPending}
      error={remove.error}
      disabled={typed !== project}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        It cannot be reached any more at once. Then its workflows, runs, logs, artifacts, secrets and keys are removed.
        This cannot be taken back.
      </p>
      <TextField
        label="Type the project’s slug"
        autoFocus
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  )
}
