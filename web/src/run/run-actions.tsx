import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../api/client'
import { hasRunEnded, type Run } from '../api/types'
import { useApi, useMay } from '../api/use-api'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { Confirm } from '../ui/dialog'
import { Menu, MenuItem } from '../ui/menu'
import { RerunDialog } from './rerun-dialog'
import { SignalDialog } from './signal-dialog'

type Verb = 'cancel' | 'pause' | 'resume' | 'retry'

const done: Record<Verb, string> = {
  cancel: 'The run is being cancelled',
  pause: 'The run is paused',
  resume: 'The run goes on',
  retry: 'Failed tasks run again',
}

/** What the header shows at once; the stream corrects it. */
const shownStatus: Record<Verb, Run['status']> = {
  cancel: 'cancelling',
  pause: 'paused',
  resume: 'running',
  retry: 'running',
}

/** Of a run that undid something only compensations that failed can run again; the rest is a rerun's. */
function canRetry({ status, tasks }: Run): boolean {
  const undone = tasks.filter(({ compensates, attempt }) => compensates !== undefined && attempt > 0)
  const isOver = status === 'failed' || status === 'cancelled'
  return isOver && (undone.length === 0 || undone.some((task) => task.status === 'failed'))
}

function useVerb(run: Run) {
  return useAction<Verb, Run>({
    run: (api, verb) => {
      const params = { path: { id: run.id } }
      if (verb === 'cancel') return read(api.client.POST('/api/v1/runs/{id}/cancel', { params }))
      if (verb === 'pause') return read(api.client.POST('/api/v1/runs/{id}/pause', { params }))
      if (verb === 'resume') return read(api.client.POST('/api/v1/runs/{id}/resume', { params }))
      return read(api.client.POST('/api/v1/runs/{id}/retry', { params }))
    },
    done: (_, verb) => done[verb],
    touches: ['run', run.id],
    optimistic: {
      queryKey: ['run', run.id],
      update: (old: Run, verb) => ({ ...old, status: shownStatus[verb] }),
    },
  })
}

export function RunActions({ run }: { run: Run }) {
  const { project } = useApi()
  const may = useMay('operator')
  const navigate = useNavigate()
  const act = useVerb(run)
  const [open, setOpen] = useState<'cancel' | 'rerun' | 'signal'>()
  const ended = hasRunEnded(run.status)
  const why = may ? undefined : 'You need the role operator'
  const common = { disabled: !may || act.isPending, title: why }
  return (
    <>
      {canRetry(run) && (
        <Button look="primary" icon="retry" {...common} onClick={() => act.mutate('retry')}>
          Retry
        </Button>
      )}
      {run.status === 'paused' && (
        <Button look="primary" icon="play" {...common} onClick={() => act.mutate('resume')}>
          Resume
        </Button>
      )}
      {(run.status === 'running' || run.status === 'queued') && (
        <Button icon="pause" {...common} onClick={() => act.mutate('pause')}>
          Pause
        </Button>
      )}
      {ended ? (
        <Button icon="play" {...common} onClick={() => setOpen('rerun')}>
          Rerun…
        </Button>
      ) : (
        <Button
          look="danger"
          icon="stop"
          {...common}
          disabled={common.disabled || run.status === 'cancelling'}
          onClick={() => setOpen('cancel')}
        >
          Cancel
        </Button>
      )}
      <Menu align="end" trigger={<Button icon="more" aria-label="More actions" />}>
        <MenuItem disabled={!may || ended} onSelect={() => setOpen('signal')}>
          Send a signal…
        </MenuItem>
        <MenuItem
          onSelect={() => void navigate({ href: `/p/${project}/workflows/${run.workflow}/start?like=${run.id}` })}
        >
          Start another like this
        </MenuItem>
        <MenuItem onSelect={() => void navigate({ href: `/p/${project}/workflows/${run.workflow}` })}>
          Open the workflow
        </MenuItem>
      </Menu>
      {open === 'cancel' && (
        <Confirm
          title="Cancel this run?"
          action="Cancel the run"
          danger
          onClose={() => setOpen(undefined)}
          onConfirm={() => {
            setOpen(undefined)
            act.mutate('cancel')
          }}
        >
          <p>Tasks that run are told to stop, and no further task starts. It can be retried later.</p>
        </Confirm>
      )}
      {open === 'rerun' && <RerunDialog run={run} onClose={() => setOpen(undefined)} />}
      {open === 'signal' && <SignalDialog run={run} onClose={() => setOpen(undefined)} />}
    </>
  )
}
