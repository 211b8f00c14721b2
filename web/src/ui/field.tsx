import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'

interface Shared {
  label: string
  hint?: ReactNode
  error?: string | undefined
}

function Frame({ id, label, hint, error, children }: Shared & { id: string; children: ReactNode }) {
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {children}
      {hint && (
        <div className="field-hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {error && (
        <div className="field-error" id={`${id}-error`} role="alert">
          {error}
        </div>
      )}
    </div>
  )
}

const described = (id: string, { hint, error }: Shared) =>
  [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined

export function TextField({ label, hint, error, ...rest }: Shared & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId()
  const shared = { label, hint, error }
  return (
    <Frame id={id} {...shared}>
      <input className="input" {...rest} id={id} aria-invalid={!!error} aria-describedby={described(id, shared)} />
    </Frame>
  )
}

export function AreaField({ label, hint, error, ...rest }: Shared & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId()
  const shared = { label, hint, error }
  return (
    <Frame id={id} {...shared}>
      <textarea className="input" {...rest} id={id} aria-invalid={!!error} aria-describedby={described(id, shared)} />
    </Frame>
  )
}

export function SelectField({ label, hint, error, ...rest }: Shared & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId()
  const shared = { label, hint, error }
  return (
    <Frame id={id} {...shared}>
      <select className="input" {...rest} id={id} aria-invalid={!!error} aria-describedby={described(id, shared)} />
    </Frame>
  )
}
