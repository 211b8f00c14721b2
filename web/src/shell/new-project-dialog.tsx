import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../api/client'
import { meQuery } from '../api/use-api'
import { TextField } from '../ui/field'
import { FormDialog } from './form-dialog'
import { slugOf } from './slug'
import { useAction } from './use-action'

/** Whoever creates a project owns it. */
export function NewProjectDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [typedSlug, setSlug] = useState<string>()
  const slug = typedSlug ?? slugOf(name)
  const create = useAction({
    run: async (api) => {
      const made = await read(api.client.POST('/api/v1/projects', { body: { slug, name: name.trim() } }))
      // The project is on screen only once the caller is known to be its member.
      await client.invalidateQueries(meQuery)
      return made
    },
    done: `Created ${slug}`,
    onDone: (made) => {
      onClose()
      void navigate({ to: '/p/$project/overview', params: { project: made.slug } })
    },
  })
  return (
    <FormDialog
      title="New project"
      action="Create the project"
      busy={create.isPending}
      error={create.error}
      disabled={name.trim() === '' || slug === ''}
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
      />
      <TextField
        label="Slug"
        required
        maxLength={63}
        value={slug}
        hint="Its name in addresses and requests; it cannot change."
        onChange={(event) => setSlug(event.target.value)}
      />
    </FormDialog>
  )
}
