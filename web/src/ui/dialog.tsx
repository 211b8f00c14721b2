import { type ReactNode, useId, useRef } from 'react'
import { Button } from './button'
import { useModal } from './use-modal'

interface DialogProps {
  title: string
  onClose: () => void
  wide?: boolean
  /** Escape and the close button are off while something must be answered. */
  locked?: boolean
  children: ReactNode
}

/**
 * The browser's own modal: it traps focus, makes the rest inert and gives focus back. Radix's dialog locks scrolling
 * through an injected style element, which the content security policy forbids.
 */
export function Dialog({ title, onClose, wide, locked, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useModal(ref, () => (locked ? ref.current?.showModal() : onClose()))
  return (
    <dialog
      ref={ref}
      className={wide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (!locked) onClose()
      }}
      onKeyDown={(event) => {
        event.stopPropagation()
        // A browser closes a dialog at the second Escape even where the first was refused.
        if (locked && event.key === 'Escape') event.preventDefault()
      }}
      onMouseDown={(event) => {
        if (event.target === ref.current && !locked) onClose()
      }}
    >
      <div className="dialog-head">
        <h2 id={id}>{title}</h2>
        {!locked && <Button look="quiet" icon="close" aria-label="Close" onClick={onClose} />}
      </div>
      <div className="dialog-body">{children}</div>
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  children: ReactNode
  action: string
  danger?: boolean
  busy?: boolean
  disabled?: boolean
  onConfirm: () => void
  onClose: () => void
}

export function Confirm({ title, children, action, danger, busy, disabled, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div className="dialog-actions">
        <Button onClick={onClose}>Keep as it is</Button>
        <Button
          look={danger ? 'danger' : 'primary'}
          busy={busy ?? false}
          disabled={disabled ?? false}
          onClick={onConfirm}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
