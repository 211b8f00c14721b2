import { type FormEvent, useState } from 'react'
import { ApiError, messageOf } from '../api/problem'
import { signIn } from '../api/session'
import { Button } from '../ui/button'
import { TextField } from '../ui/field'

interface SignInFormProps {
  email?: string
  onDone: () => void
}

export function SignInForm({ email: known = '', onDone }: SignInFormProps) {
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const [fault, setFault] = useState<string>()
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setFault(undefined)
    try {
      await signIn(email, password)
      onDone()
    } catch (error) {
      setFault(faultOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="gate-form" onSubmit={(event) => void submit(event)}>
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        required
        autoFocus={known === ''}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        autoFocus={known !== ''}
        value={password}
        error={fault}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Button type="submit" look="primary" busy={busy}>
        Sign in
      </Button>
    </form>
  )
}

function faultOf(error: unknown): string {
  if (error instanceof ApiError && error.code === 'invalid_credentials') return 'Email and password do not match.'
  if (error instanceof ApiError && error.retryAfterSeconds !== undefined)
    return `${messageOf(error)} Try again in ${error.retryAfterSeconds} s.`
  return messageOf(error)
}
