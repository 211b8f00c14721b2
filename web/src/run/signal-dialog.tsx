import { useState } from 'react'
import { read } from '../api/client'
import type { Run } from '../api/types'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { AreaField, TextField } from '../ui/field'
import { parseJson } from '../ui/parse-json'

export function SignalDialog({ run, name: given = '', onClose }: { run: Run; name?: string; onClose: () => void }) {
  const [name, setName] = useState(given)
  const [text, setText] = useState('{}')
  const parsed = parseJson(text)
  const send = useAction({
    run: (api) =>
      read(
        api.client.POST('/api/v1/runs/{id}/signals/{name}', {
          params: { path: { id: run.id, name } },
          body: { payload: parsed.value },
        }),
      ),
    done: 'The signal was sent',
    touches: ['run', run.id],
    onDone: onClose,
  })
  return (
    <Dialog title="Send a signal" onClose={onClose}>
      <TextField
        label="Name"
        required
        value={name}
        onChange={(event) => setName(event.target.value)}
        hint="As the waiting task names it. A signal that comes early is kept."
      />
      <AreaField
        label="Payload"
        rows={5}
        value={text}
        error={parsed.fault}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="dialog-actions">
        <Button onClick={onClose}>Close</Button>
        <Button
          look="primary"
          busy={send.isPending}
          disabled={name === '' || parsed.fault !== undefined}
          onClick={() => send.mutate()}
        >
          Send
        </Button>
      </div>
    </Dialog>
  )
}
