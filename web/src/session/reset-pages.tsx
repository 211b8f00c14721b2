import { Link, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { apiFor } from '../api/client'
import { errorOf, messageOf } from '../api/problem'
import { Button } from '../ui/button'
import { TextField } from '../ui/field'
import { Gate } from './gate'

async function post(path: string, body: unknown): Promise<void> {
  const response = await apiFor('').fetch(`/api/v1/auth/password/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw await errorOf(response)
}

interface OneFieldProps {
  label: string
  type: string
  autoComplete: string
  action: string
  run: (value: string) => Promise<void>
}

function OneField({ label, type, autoComplete, action, run }: OneFieldProps) {
  const [value, setValue] = useState('')
  const [fault, setFault] = useState<string>()
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    await run(value).catch((error: unknown) => setFault(messageOf(error)))
    setBusy(false)
  }
  return (
    <form className="gate-form" onSubmit={(event) => void submit(event)}>
      <TextField
        label={label}
        type={type}
        autoComplete={autoComplete}
        required
        value={value}
        error={fault}
        onChange={(event) => setValue(event.target.value)}
      />
      <Button type="submit" look="primary" busy={busy}>
        {action}
      </Button>
    </form>
  )
}

export function ForgotPage() {
  const [sent, setSent] = useState(false)
  const send = async (email: string) => {
    await post('forgot', { email })
    setSent(true)
  }
  return (
    <Gate title="Reset the password">
      {sent ? (
        <p>If there is an account with that address, a mail with a link is on its way.</p>
      ) : (
        <OneField label="Email" type="email" autoComplete="username" action="Send a link" run={send} />
      )}
      <div className="gate-links">
        <Link to="/sign-in">Back to sign in</Link>
      </div>
    </Gate>
  )
}

export function ResetPage() {
  const { token = '' } = useSearch({ from: '/reset' })
  const [done, setDone] = useState(false)
  const reset = async (next: string) => {
    await post('reset', { token, new: next })
    setDone(true)
  }
  return (
    <Gate title="Choose a new password">
      {done ? (
        <p>
          The password is changed and every session of before has ended. <Link to="/sign-in">Sign in</Link>
        </p>
      ) : (
        <OneField
          label="New password"
          type="password"
          autoComplete="new-password"
          action="Change password"
          run={reset}
        />
      )}
    </Gate>
  )
}
