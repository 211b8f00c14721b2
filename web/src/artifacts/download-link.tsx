import { useState } from 'react'
import { read } from '../api/client'
import { FormError } from '../shell/form-dialog'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { SelectField } from '../ui/field'
import { Time } from '../ui/time'

const lifetimes: readonly [number, string][] = [
  [300, '5 minutes'],
  [900, '15 minutes'],
  [3_600, '1 hour'],
]

/** A link that works without signing in, for this file alone, until its time is over. */
export function DownloadLink({ id }: { id: string }) {
  const [expiresIn, setExpiresIn] = useState(900)
  const [copied, setCopied] = useState(false)
  const make = useAction({
    run: (api) =>
      read(api.client.POST('/api/v1/artifacts/{id}/presign', { params: { path: { id } }, body: { expiresIn } })),
    touches: ['artifact', id],
    onDone: () => setCopied(false),
  })
  const url = make.data?.url ? new URL(make.data.url, location.origin).href : undefined
  return (
    <div className="artifacts-share">
      <SelectField label="Works for" value={expiresIn} onChange={(event) => setExpiresIn(Number(event.target.value))}>
        {lifetimes.map(([seconds, words]) => (
          <option key={seconds} value={seconds}>
            {words}
          </option>
        ))}
      </SelectField>
      <Button busy={make.isPending} onClick={() => make.mutate()}>
        Make the link
      </Button>
      <FormError error={make.error} />
      {url && (
        <div className="artifacts-url">
          <input className="input mono" aria-label="Link" readOnly value={url} />
          <Button icon="copy" onClick={() => void navigator.clipboard.writeText(url).then(() => setCopied(true))}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
          <span className="muted">
            Whoever has it can download the file; it ends <Time at={make.data?.expiresAt} />.
          </span>
        </div>
      )}
    </div>
  )
}
