import { type ReactNode, useState } from 'react'
import { Button } from './button'
import { Confirm } from './dialog'

interface ConfirmButtonProps {
  /** The question. */
  title: string
  /** What follows from it, and whether it can be taken back. */
  text: ReactNode
  action: string
  busy?: boolean
  disabled?: boolean
  /** Why it is disabled. */
  why?: string | undefined
  small?: boolean
  onConfirm: () => void
}

/** For what cannot be taken back: named by its action, and asked before it happens. */
export function ConfirmButton({
  title,
  text,
  action,
  busy,
  disabled,
  why,
  small = true,
  onConfirm,
}: ConfirmButtonProps) {
  const [asking, setAsking] = useState(false)
  const close = () => setAsking(false)
  return (
    <>
      <Button
        small={small}
        look="danger"
        busy={busy ?? false}
        disabled={disabled ?? false}
        title={why}
        onClick={() => setAsking(true)}
      >
        {action}
      </Button>
      {asking && (
        <Confirm
          title={title}
          action={action}
          danger
          onClose={close}
          onConfirm={() => {
            close()
            onConfirm()
          }}
        >
          <p>{text}</p>
        </Confirm>
      )}
    </>
  )
}
