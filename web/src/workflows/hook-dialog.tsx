import { useState } from 'react'
import { read } from '../api/client'
import { FormDialog } from '../shell/form-dialog'
import { useAction } from '../shell/use-action'
import { SelectField, TextField } from '../ui/field'

interface HookDialogProps {
  workflow: string
  onMade: (url: string) => void
  onClose: () => void
}

const schemes = ['standard-webhooks', 'github', 'stripe', 'hmac'] as const
type Scheme = (typeof schemes)[number]

const bodyOf = (scheme: Scheme | '', secret: string, header: string, input: string) => ({
  ...(scheme === ''
    ? {}
    : { verify: { type: scheme, secret, ...(scheme === 'hmac' && header !== '' ? { header } : {}) } }),
  ...(input === '' ? {} : { input }),
})

export function HookDialog({ workflow, onMade, onClose }: HookDialogProps) {
  const [scheme, setScheme] = useState<Scheme | ''>('')
  const [secret, setSecret] = useState('')
  const [header, setHeader] = useState('')
  const [input, setInput] = useState('')
  const create = useAction({
    run: (api) => {
      const params = { path: { name: workflow } }
      const body = bodyOf(scheme, secret, header.trim(), input.trim())
      return read(api.client.POST('/api/v1/workflows/{name}/hooks', { params, body }))
    },
    touches: ['workflow', workflow, 'hooks'],
    onDone: ({ url }) => onMade(new URL(url ?? '', location.origin).href),
  })
  return (
    <FormDialog
      title="New hook"
      action="Create the hook"
      busy={create.isPending}
      error={create.error}
      disabled={scheme !== '' && secret.length < 8}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <SelectField
        label="Callers sign what they send"
        value={scheme}
        onChange={(event) => setScheme(event.target.value as Scheme | '')}
        hint="Without a signature, knowing the address is enough."
      >
        <option value="">no</option>
        {schemes.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </SelectField>
      {scheme !== '' && (
        <TextField
          label="Secret"
          type="password"
          autoComplete="off"
          required
          minLength={8}
          maxLength={512}
          value={secret}
          onChange={(event) => setSecret(event.target.value)}
          hint="Shared with the caller, at least 8 characters; it is kept encrypted and never shown."
        />
      )}
      {scheme === 'hmac' && (
        <TextField
          label="Header with the signature"
          placeholder="X-Signature"
          maxLength={64}
          value={header}
          onChange={(event) => setHeader(event.target.value)}
        />
      )}
      <TextField
        label="Input of the run"
        className="input mono"
        placeholder="body"
        maxLength={4096}
        spellCheck={false}
        value={input}
        onChange={(event) => setInput(event.target.value)}
        hint="A CEL expression over body, headers and query, such as {'id': body.order.id}. Empty: the body as it is."
      />
    </FormDialog>
  )
}
