import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/client'
import { meQuery } from '../api/use-api'
import { FormError } from '../shell/form-dialog'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { CopyId } from '../ui/copy'
import { TextField } from '../ui/field'
import { Section } from './section'
import { Sessions } from './sessions'

export function Profile() {
  const { data } = useQuery(meQuery)
  const user = data?.user
  return (
    <>
      <Section title="Profile">
        <dl className="facts">
          <dt>Name</dt>
          <dd>{user?.name ?? '–'}</dd>
          <dt>Email</dt>
          <dd>
            {user?.email} {user?.emailVerified === false && <span className="tag">not confirmed</span>}
          </dd>
          <dt>Id</dt>
          <dd>{user && <CopyId id={user.id} whole />}</dd>
          <dt>Projects</dt>
          <dd>{data?.projects.map(({ slug, role }) => `${slug} (${role})`).join(', ') || '–'}</dd>
          {user?.admin && (
            <>
              <dt>Platform</dt>
              <dd>administrator</dd>
            </>
          )}
        </dl>
      </Section>
      <PasswordForm />
      <Sessions />
    </>
  )
}

const nothing = { current: '', next: '', again: '' }

function PasswordForm() {
  const [typed, setTyped] = useState(nothing)
  const set = (name: keyof typeof nothing) => (event: { target: { value: string } }) =>
    setTyped((old) => ({ ...old, [name]: event.target.value }))
  const save = useAction({
    run: (api) => read(api.client.POST('/api/v1/auth/password', { body: { current: typed.current, new: typed.next } })),
    done: 'The password is changed, and every other session is ended',
    touches: ['settings', 'sessions'],
    onDone: () => setTyped(nothing),
  })
  const differs = typed.again !== '' && typed.again !== typed.next
  const ready = typed.current !== '' && typed.next !== '' && typed.again === typed.next
  return (
    <Section title="Password" about="A change ends every other session of yours.">
      <form
        className="settings-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (ready) save.mutate()
        }}
      >
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          value={typed.current}
          onChange={set('current')}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          value={typed.next}
          onChange={set('next')}
          hint="At least 12 characters, and none of the common ones."
        />
        <TextField
          label="New password again"
          type="password"
          autoComplete="new-password"
          value={typed.again}
          onChange={set('again')}
          error={differs ? 'The two differ.' : undefined}
        />
        <FormError error={save.error} />
        <Button type="submit" look="primary" busy={save.isPending} disabled={!ready}>
          Change the password
        </Button>
      </form>
    </Section>
  )
}
