import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { apiFor, read } from '../api/client'
import { messageOf } from '../api/problem'
import { queryClient } from '../api/query-client'
import { signIn } from '../api/session'
import { Button } from '../ui/button'
import { TextField } from '../ui/field'
import { safeTarget } from './after-sign-in'
import { Gate } from './gate'

export function RegisterPage() {
  const { to } = useSearch({ from: '/register' })
  const navigate = useNavigate()
  const [form, setForm] = useState({ name: '', email: '', password: '' })
  const [fault, setFault] = useState<string>()
  const [busy, setBusy] = useState(false)
  const set = (field: keyof typeof form) => (event: { target: { value: string } }) =>
    setForm((old) => ({ ...old, [field]: event.target.value }))
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setFault(undefined)
    try {
      const { name, email, password } = form
      await read(
        apiFor('').client.POST('/api/v1/auth/register', { body: { email, password, ...(name ? { name } : {}) } }),
      )
      await signIn(email, password)
      queryClient.clear()
      await navigate({ href: safeTarget(to) })
    } catch (error) {
      setFault(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Gate title="Create an account">
      <form className="gate-form" onSubmit={(event) => void submit(event)}>
        <TextField label="Name" autoComplete="name" value={form.name} onChange={set('name')} />
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          required
          value={form.email}
          onChange={set('email')}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          required
          minLength={12}
          hint="At least 12 characters."
          value={form.password}
          error={fault}
          onChange={set('password')}
        />
        <Button type="submit" look="primary" busy={busy}>
          Create account
        </Button>
      </form>
      <div className="gate-links">
        <Link to="/sign-in" search={to ? { to } : {}}>
          Sign in instead
        </Link>
      </div>
    </Gate>
  )
}
