import { useState } from 'react'
import { Button } from './button'
import { Dialog } from './dialog'

interface SecretOnceProps {
  title: string
  value: string
  /** What it is for, and where it goes. */
  hint: string
  onClose: () => void
}

/** A value that cannot be read again. Only its button closes it: a click beside it would lose the value. */
export function SecretOnce({ title, value, hint, onClose }: SecretOnceProps) {
  const [state, setState] = useState<'shown' | 'copied' | 'refused'>('shown')
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setState('copied'),
      () => setState('refused'),
    )
  return (
    <Dialog title={title} onClose={onClose} locked>
      <p>{hint}</p>
      <div className="banner banner-warn">It is shown this once and cannot be read again.</div>
      <input
        className="input mono"
        aria-label={title}
        readOnly
        value={value}
        onFocus={(event) => event.currentTarget.select()}
      />
      <div role="status" className="muted">
        {state === 'copied' && 'Copied.'}
        {state === 'refused' && 'The browser did not allow copying: select the text and copy it.'}
      </div>
      <div className="dialog-actions">
        <Button onClick={onClose}>I have stored it</Button>
        <Button look="primary" icon="copy" onClick={() => void copy()}>
          Copy
        </Button>
      </div>
    </Dialog>
  )
}
