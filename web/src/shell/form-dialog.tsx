import type { ReactNode } from 'react'
import { ApiError, messageOf } from '../api/problem'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'

interface FormDialogProps {
  title: string
  action: string
  busy: boolean
  /** What the API refused; what was typed stays. */
  error?: unknown
  /** Not ready to be sent. */
  disabled?: boolean
  wide?: boolean
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

export function FormDialog({
  title,
  action,
  busy,
  error,
  disabled,
  wide,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} wide={wide ?? false}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!disabled && !busy) onSubmit()
        }}
      >
        {children}
        <FormError error={error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" busy={busy} disabled={disabled ?? false}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Beside the form, because a notification would be behind an open dialog. */
export function FormError({ error }: { error: unknown }) {
  if (!error) return null
  const requestId = error instanceof ApiError ? error.problem.requestId : undefined
  return (
    <div className="banner banner-danger" role="alert">
      <span>{messageOf(error)}</span>
      {requestId && <span className="muted mono">Request {requestId}</span>}
    </div>
  )
}
