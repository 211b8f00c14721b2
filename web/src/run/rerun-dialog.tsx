import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../api/client'
import type { Run } from '../api/types'
import { useApi } from '../api/use-api'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { AreaField, SelectField } from '../ui/field'
import { parseJson } from '../ui/parse-json'

interface RerunDialogProps {
  run: Run
  from?: string
  onClose: () => void
}

/** A new run like this one. Outputs of tasks that are not downstream of the chosen one are reused. */
export function RerunDialog({ run, from: given = '', onClose }: RerunDialogProps) {
  const { project } = useApi()
  const navigate = useNavigate()
  const before = JSON.stringify(run.input ?? {}, null, 2)
  const [from, setFrom] = useState(given)
  const [version, setVersion] = useState<'pinned' | 'latest'>('pinned')
  const [text, setText] = useState(before)
  const parsed = parseJson(text)
  const rerun = useAction<void, { id: string }>({
    run: (api) =>
      read(
        api.client.POST('/api/v1/runs/{id}/rerun', {
          params: { path: { id: run.id } },
          body: { version, ...(from === '' ? {} : { from }), ...(text === before ? {} : { input: parsed.value }) },
        }),
      ),
    done: 'A new run was started',
    touches: ['live'],
    onDone: ({ id }) => {
      onClose()
      void navigate({ to: '/p/$project/runs/$runId', params: { project, runId: id } })
    },
  })
  const keys = [...new Set(run.tasks.flatMap(({ key, compensates }) => (compensates ? [] : [key])))]
  return (
    <Dialog title="Rerun" onClose={onClose}>
      <SelectField
        label="From"
        value={from}
        onChange={(event) => setFrom(event.target.value)}
        hint="Outputs of tasks that do not depend on it are taken over."
      >
        <option value="">The beginning</option>
        {given !== '' && !keys.includes(given) && <option value={given}>{given}</option>}
        {keys.map((key) => (
          <option key={key} value={key}>
            {key}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Version"
        value={version}
        onChange={(event) => setVersion(event.target.value as 'pinned' | 'latest')}
      >
        <option value="pinned">{`The same, ${run.version}`}</option>
        <option value="latest">The latest</option>
      </SelectField>
      <AreaField
        label="Input"
        rows={8}
        value={text}
        error={parsed.fault}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="dialog-actions">
        <Button onClick={onClose}>Close</Button>
        <Button
          look="primary"
          busy={rerun.isPending}
          disabled={parsed.fault !== undefined}
          onClick={() => rerun.mutate()}
        >
          Start the rerun
        </Button>
      </div>
    </Dialog>
  )
}
